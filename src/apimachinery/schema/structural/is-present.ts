/** Returns false for the zero values with which the API server omits a keyword: undefined, `""`, `[]` and `{}`. */
export function isPresent(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== "";
}
