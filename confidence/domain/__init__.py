"""The pure rules of match confidence: standard library only, shared by server and client."""
