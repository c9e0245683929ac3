/** Bytes that are no protobuf message of the type they should be. Whoever sent them gets a 400. */
export class MalformedProtobufError extends Error {
  override readonly name: string = "MalformedProtobufError";
}
