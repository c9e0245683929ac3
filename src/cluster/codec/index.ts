export { MalformedProtobufError } from "./malformed-protobuf.ts";
export { type DecodedObject, decodeProtobuf, encodeProtobuf } from "./protobuf.ts";
export { encodeSwagger, type Swagger } from "./openapi-v2/encode-swagger.ts";
