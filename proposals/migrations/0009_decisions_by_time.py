from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    """The indexes are built beside the writes of the release that runs."""

    atomic = False
    dependencies = [("proposals", "0008_settled_lately")]

    operations = [
        AddIndexConcurrently(
            model_name="decision",
            index=models.Index(fields=["created_at"], name="decision_by_time"),
        ),
        AddIndexConcurrently(
            model_name="proposal",
            index=models.Index(fields=["created_at"], name="proposal_by_time"),
        ),
    ]
