/** An object that doesn't match the schema of its kind. The API server responds with 500 and this message. */
export class SchemaMismatchError extends Error {
  override readonly name = "SchemaMismatchError";
}
