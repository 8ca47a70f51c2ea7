from django.db import migrations, models


class Migration(migrations.Migration):
    """New columns are empty where the former release goes on writing."""

    dependencies = [("proposals", "0006_full_pictures")]

    operations = [
        migrations.AddField(
            model_name="proposal",
            name="run_ended_at",
            field=models.DateTimeField(
                help_text="its outcome is unknown, and the run is over: there is no retry",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="proposal",
            name="settled_at",
            field=models.DateTimeField(
                help_text="when it was decided or ended, whichever came last", null=True
            ),
        ),
        migrations.AlterField(
            model_name="decision",
            name="verb",
            field=models.CharField(
                choices=[
                    ("approve", "approved"),
                    ("approve_first", "approved first"),
                    ("modify", "modified"),
                    ("reject", "rejected"),
                    ("mark_done", "marked as done"),
                    ("retry", "asked for a retry"),
                    ("mark_not_done", "marked as not done"),
                ],
                max_length=13,
            ),
        ),
    ]
