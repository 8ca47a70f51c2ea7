"""A long queue: copies of one waiting card, each with ids of its own, asked a second apart."""

# Values: how many, and the card's id. The copies are older than the card.
COPIES = """
INSERT INTO proposals_proposal
SELECT (jsonb_populate_record(card, jsonb_build_object(
    'id', gen_random_uuid(), 'run_id', gen_random_uuid(), 'action_id', gen_random_uuid(),
    'created_at', card.created_at - place * interval '1 second',
    'expires_at', now() + interval '1 hour'
))).*
FROM proposals_proposal AS card, generate_series(1, %s) AS place WHERE card.id = %s"""
