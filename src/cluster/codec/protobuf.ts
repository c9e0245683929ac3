// Encodings other than plain JSON. Protobuf, top down: this file has the envelope, `message-codec.ts` the messages of
// types, `scalar-codecs.ts` their scalars, `wire.ts` the bytes. `encode-swagger.ts` writes OpenAPI v2. `go-json.ts` and
// `go-yaml.ts` read JSON and YAML as Go does, with Go's messages for malformed text.

import { loadFieldNumbers, loadSchemas, moduleOf } from "@tsbuilder/apimachinery/kinds";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { MalformedProtobufError, WireReader } from "./wire.ts";
import { type MessageCodec, MessageCodecs } from "./message-codec.ts";
import { write } from "./scalar-codecs.ts";

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

/** One instance for all modules: types refer to each other across modules, and one table has all field numbers. */
let codecs: MessageCodecs | undefined;

/** Every protobuf body starts with these four bytes. */
const magic = Buffer.from("k8s\0", "latin1");

/** The envelope of an object, Kubernetes' `runtime.Unknown`: its kind and what it encloses. */
interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

function readEnvelope(body: Uint8Array): Envelope {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (bytes.length === 0) throw new MalformedProtobufError("empty data");
  if (!bytes.subarray(0, magic.length).equals(magic)) {
    throw new MalformedProtobufError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  }
  let [apiVersion, kind, contentEncoding] = ["", "", ""];
  let raw: Buffer = Buffer.alloc(0);
  const reader = new WireReader(bytes.subarray(magic.length));
  while (reader.next()) {
    if (reader.field === 1) [apiVersion, kind] = readTypeMeta(reader.bytes());
    else if (reader.field === 2) raw = reader.bytes();
    else if (reader.field === 3) contentEncoding = reader.text();
    else reader.skip();
  }
  if (contentEncoding !== "")
    throw new MalformedProtobufError(`unsupported content encoding ${contentEncoding}`);
  return { apiVersion, kind, raw };
}

function readTypeMeta(bytes: Buffer): [apiVersion: string, kind: string] {
  let [apiVersion, kind] = ["", ""];
  const reader = new WireReader(bytes);
  while (reader.next()) {
    if (reader.field === 1) apiVersion = reader.text();
    else if (reader.field === 2) kind = reader.text();
    else reader.skip();
  }
  return [apiVersion, kind];
}

function writeEnvelope({ apiVersion, kind, raw }: Envelope): Buffer {
  const unknown = write((writer) => {
    writer.bytes(
      1,
      write((typeMeta) => {
        typeMeta.text(1, apiVersion);
        typeMeta.text(2, kind);
      }),
    );
    writer.bytes(2, raw);
    writer.text(3, "");
    writer.text(4, "");
  });
  return Buffer.concat([magic, unknown]);
}
