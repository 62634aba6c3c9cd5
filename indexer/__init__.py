"""Everything done before a query."""
