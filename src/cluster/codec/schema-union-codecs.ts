import { plainCodecs } from "./plain-codecs.ts";
import { message, write } from "./scalar-codecs.ts";
import type { ValueCodec } from "./value-codec.ts";
import { WireReader } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/** The codecs of the fields of a CRD's schema that are unions in JSON, by the name of their type. */
export function schemaUnion(typeName: string, schemaProps: () => ValueCodec): ValueCodec | undefined {
  switch (typeName) {
    case "JSONSchemaPropsOrArray":
      return union(schemaProps, { schema: 1, other: 2, isList: true, otherCodec: schemaProps });
    case "JSONSchemaPropsOrBool":
      return union(schemaProps, {
        schema: 2,
        other: 1,
        isList: false,
        otherCodec: () => plainCodecs.boolean,
      });
    case "JSONSchemaPropsOrStringArray":
      return union(schemaProps, { schema: 1, other: 2, isList: true, otherCodec: () => plainCodecs.string });
    default:
      return undefined;
  }
}

interface Forms {
  /** The field number of the schema. */
  readonly schema: number;
  /** The field number of the other form, a value or a list of values. */
  readonly other: number;
  readonly isList: boolean;
  readonly otherCodec: () => ValueCodec;
}

function union(schemaProps: () => ValueCodec, { schema, other, isList, otherCodec }: Forms): ValueCodec {
  const decode = (bytes: Buffer, depth: number): unknown => {
    let found: unknown;
    const items: unknown[] = [];
    const reader = new WireReader(bytes);
    while (reader.next()) {
      if (reader.field === schema) found = schemaProps().read(reader, depth + 1);
      else if (reader.field === other) items.push(otherCodec().read(reader, depth + 1));
      else reader.skip();
    }
    // A schema takes precedence over the other form.
    return found ?? (isList ? items : (items.at(-1) ?? false));
  };
  const writeForm = (writer: WireWriter, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) otherCodec().write(writer, other, item);
    else if (typeof value === "boolean") otherCodec().write(writer, other, value);
    else {
      // Go also writes the flag if there is a schema.
      if (!isList) otherCodec().write(writer, other, true);
      schemaProps().write(writer, schema, value);
    }
  };
  return message(decode, (value) => write((writer) => writeForm(writer, value)), { zero: null });
}
