import { MalformedProtobufError } from "./malformed-protobuf.ts";
import { write } from "./scalar-codecs.ts";
import { WireReader } from "./wire-reader.ts";

/** Every protobuf body starts with these four bytes. */
const magic = Buffer.from("k8s\0", "latin1");

/** The envelope of an object, Kubernetes' `runtime.Unknown`: its kind and what it encloses. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

export function readEnvelope(body: Uint8Array): Envelope {
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

export function writeEnvelope({ apiVersion, kind, raw }: Envelope): Buffer {
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
