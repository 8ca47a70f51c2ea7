from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("proposals", "0009_decisions_by_time")]

    operations = [
        migrations.AddField(
            model_name="proposal",
            name="screen_id",
            field=models.TextField(
                blank=True, db_default="", help_text="of a question: the screen it was asked on"
            ),
        ),
    ]
