// Addresses of the page.

/** `path` with the query {name: value}; empty values are omitted. */
export function pathWithQuery(path, query) {
  const values = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  const search = new URLSearchParams(values);
  return search.size ? `${path}?${search}` : path;
}
