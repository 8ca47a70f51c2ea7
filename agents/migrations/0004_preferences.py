from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0003_sessions_links_and_expiring_keys'),
    ]

    operations = [
        # With a default of the database's own: the former release goes on adding people without it.
        migrations.AddField(
            model_name='person',
            name='preferences',
            field=models.JSONField(blank=True, db_default=models.Value({}, models.JSONField()), default=dict, help_text='by page: how this person likes it'),
        ),
    ]
