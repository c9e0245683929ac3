/** Bytes that are not a protobuf message of the expected type. The client gets a 400. */
export class MalformedProtobufError extends Error {
  override readonly name: string = "MalformedProtobufError";
  /** What the bytes say they are, if that could be read. */
  readonly type: { readonly apiVersion: string; readonly kind: string } | undefined;

  constructor(message: string, type?: MalformedProtobufError["type"]) {
    super(message);
    this.type = type;
  }
}
