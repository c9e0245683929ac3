import { loadFieldNumbers, loadSchemas, moduleOf } from "@tsbuilder/apimachinery/kinds";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { readEnvelope, writeEnvelope } from "./envelope.ts";
import { MalformedProtobufError } from "./malformed-protobuf.ts";
import { MessageCodecs } from "./message-codec.ts";
import type { MessageCodec } from "./message-fields.ts";

/** An object as JSON would carry it. */
export interface DecodedObject {
  apiVersion: string;
  kind: string;
  [field: string]: unknown;
}

/**
 * Reads a body of `application/vnd.kubernetes.protobuf`: an object of a built-in kind, or options such as
 * DeleteOptions. Fields that JSON leaves out when they are empty are left out here, too.
 * @throws MalformedProtobufError if it is none, or of a kind that is not built in
 */
export async function decodeProtobuf(body: Uint8Array): Promise<DecodedObject> {
  const { apiVersion, kind, raw, contentType } = readEnvelope(body);
  if (contentType === "application/json") return JSON.parse(raw.toString("utf8")) as DecodedObject;
  const codec = await findCodec(apiVersion, kind);
  if (!codec) throw new MalformedProtobufError(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return { apiVersion, kind, ...codec.decode(raw) };
}

/** Writes an object of a built-in kind; `undefined` if there is no such kind, and protobuf is not for it. */
export async function encodeProtobuf(object: DecodedObject): Promise<Buffer | undefined> {
  const { apiVersion, kind } = object;
  const codec = await findCodec(apiVersion, kind);
  return codec && writeEnvelope({ apiVersion, kind, raw: codec.encode(object), contentType: "" });
}

async function findCodec(apiVersion: string, kind: string): Promise<MessageCodec | undefined> {
  const module = metaKinds.has(kind) ? "meta/v1" : moduleOf(parseApiVersion(apiVersion));
  const [schemas, numbers] = await Promise.all([loadSchemas(module), loadFieldNumbers(module)]);
  const schema = schemas?.get(kind);
  return schema && numbers && (codecs ??= new MessageCodecs(numbers)).of(schema);
}

/** Kinds that every group and version has: they are declared once. */
const metaKinds = new Set(["DeleteOptions", "Status"]);

/** One for all: types refer to each other across modules, and the numbers of all loaded modules stand together. */
let codecs: MessageCodecs | undefined;
