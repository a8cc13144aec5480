"""Problem documents, paging, query parameters, transactions, body limit, OpenAPI."""
