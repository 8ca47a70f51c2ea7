from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models.functions import Coalesce


class Migration(migrations.Migration):
    """The index is built beside the writes of the release that runs."""

    atomic = False
    dependencies = [("proposals", "0007_how_it_ended")]

    operations = [
        AddIndexConcurrently(
            model_name="proposal",
            index=models.Index(
                Coalesce("settled_at", "decided_at", "created_at").desc(),
                name="proposal_by_settling",
            ),
        ),
    ]
