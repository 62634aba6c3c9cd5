"""The part `pairs`: sentences of arguments with their ids, kinds and nearest premises (W22)."""
