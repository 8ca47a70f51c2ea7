from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """The indexes are built beside the writes of the release that runs."""

    atomic = False
    dependencies = [("runs", "0006_page_host")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(fields=["agent", "created_at", "id"], name="run_by_agent"),
        ),
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(fields=["created_at", "id"], name="run_by_time"),
        ),
        AddIndexConcurrently(
            model_name="wrongtargetreport",
            index=models.Index(fields=["created_at"], name="report_by_time"),
        ),
    ]
