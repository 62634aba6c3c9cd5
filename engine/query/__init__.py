"""What is asked: the query, its filters, sort and facets, its terms and their spelling."""
