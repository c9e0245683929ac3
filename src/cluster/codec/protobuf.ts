import { loadFieldNumbers, loadSchemas, moduleOf } from "@tsbuilder/apimachinery/kinds";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { readEnvelope, writeEnvelope } from "./envelope.ts";
import { MalformedProtobufError } from "./malformed-protobuf.ts";
import { MessageCodecs } from "./message-codec.ts";
import type { MessageCodec } from "./message-fields.ts";

/** A decoded object, in its JSON form. */
export interface DecodedObject {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/**
 * Decodes a body of type `application/vnd.kubernetes.protobuf`: an object of a built-in kind, or options such as
 * DeleteOptions. Empty fields are omitted, as in JSON.
 * @throws MalformedProtobufError if it is not such a body, or its kind is not built in
 */
export async function decodeProtobuf(body: Uint8Array): Promise<DecodedObject> {
  const { apiVersion, kind, raw } = readEnvelope(body);
  const codec = await findCodec(apiVersion, kind);
  if (!codec) {
    const message = `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
    throw new MalformedProtobufError(message, { apiVersion, kind });
  }
  try {
    return { apiVersion, kind, ...codec.decode(raw) };
  } catch (error) {
    if (!(error instanceof MalformedProtobufError)) throw error;
    throw new MalformedProtobufError(error.message, { apiVersion, kind });
  }
}

/** Encodes an object of a built-in kind; returns `undefined` for any other kind, which has no protobuf form. */
export async function encodeProtobuf(object: DecodedObject): Promise<Buffer | undefined> {
  const { apiVersion, kind } = object;
  const codec = await findCodec(apiVersion, kind);
  return codec && writeEnvelope({ apiVersion, kind, raw: codec.encode(object) });
}

async function findCodec(apiVersion: string, kind: string): Promise<MessageCodec | undefined> {
  const module = metaKinds.has(kind) ? "meta/v1" : moduleOf(parseApiVersion(apiVersion));
  const [schemas, numbers] = await Promise.all([loadSchemas(module), loadFieldNumbers(module)]);
  const schema = schemas?.get(kind);
  return schema && numbers && (codecs ??= new MessageCodecs(numbers)).of(schema);
}

/** Kinds that belong to every group and version and are declared once. */
const metaKinds = new Set(["DeleteOptions", "Status"]);

/** A single instance, because types refer to each other across modules, and field numbers of all modules are in one table. */
let codecs: MessageCodecs | undefined;
