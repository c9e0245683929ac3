export { MalformedProtobuf } from "./malformed-protobuf.ts";
export { type DecodedObject, decodeProtobuf, encodeProtobuf } from "./protobuf.ts";
