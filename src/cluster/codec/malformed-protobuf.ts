/** Bytes that are not a protobuf message of the expected type. The client gets a 400. */
export class MalformedProtobufError extends Error {
  override readonly name: string = "MalformedProtobufError";
}
