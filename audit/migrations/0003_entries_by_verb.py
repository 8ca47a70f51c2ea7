from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """The indexes are built beside the writes of the release that runs."""

    atomic = False
    dependencies = [("audit", "0002_append_only")]

    operations = [
        AddIndexConcurrently(
            model_name="browseraudit",
            index=models.Index(fields=["verb", "id"], name="audit_by_verb"),
        ),
    ]
