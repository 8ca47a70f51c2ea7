"""One team is always there."""

from django.db import migrations


def make_team(apps, schema_editor):
    apps.get_model("agents", "Team").objects.get_or_create(name="default")


class Migration(migrations.Migration):
    dependencies = [("agents", "0001_initial")]
    operations = [migrations.RunPython(make_team, migrations.RunPython.noop)]
