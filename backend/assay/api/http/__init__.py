"""How the API answers: routes, paging, query parameters, limits, browsers, OpenAPI."""
