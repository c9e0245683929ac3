export { MalformedProtobufError } from "./wire.ts";
export { type DecodedObject, decodeProtobuf } from "./protobuf.ts";
export { encodeSwagger, type Swagger } from "./encode-swagger.ts";
