import type { BuiltinSchema, FieldNumber, FieldNumbers } from "@tsbuilder/apimachinery/kinds";
import { type Field, type Layout, type MessageCodec, addField, messageCodec } from "./message-fields.ts";
import { message, scalarCodecs, write } from "./scalar-codecs.ts";
import type { ValueCodec } from "./value-codec.ts";
import { WireReader, wire } from "./wire-reader.ts";
import type { WireWriter } from "./wire-writer.ts";

/** Makes the codecs of types from their schemas and field numbers, each when it is first needed. */
export class MessageCodecs {
  readonly #numbers: FieldNumbers;
  readonly #codecs = new Map<string, MessageCodec>();

  constructor(numbers: FieldNumbers) {
    this.#numbers = numbers;
  }

  /** Returns the codec of a named type. */
  of(schema: BuiltinSchema): MessageCodec {
    const name = schema.typeName ?? "";
    const known = this.#codecs.get(name);
    if (known) return known;
    let layout: Layout | undefined;
    const getLayout = (): Layout => (layout ??= this.#layout(schema));
    const codec = messageCodec(getLayout);
    this.#codecs.set(name, codec);
    if (name === "apiextensions/v1.JSONSchemaProps") this.#schemaProps = codec;
    return codec;
  }

  #layout(schema: BuiltinSchema): Layout {
    const layout: Layout = new Map();
    const numbers = this.#numbers(schema.typeName ?? "");
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const number = numbers.get(name);
      if (number) addField(layout, number.path, this.#field(name, property, number));
    }
    return layout;
  }

  #field(name: string, schema: BuiltinSchema, { zeroIsAbsent }: FieldNumber): Field {
    if (schema.type === "array") {
      return { name, form: "list", value: this.#value(schema.items!), zeroIsAbsent };
    }
    if (schema.additionalProperties) {
      return { name, form: "map", value: this.#value(schema.additionalProperties), zeroIsAbsent };
    }
    return { name, form: "single", value: this.#value(schema), zeroIsAbsent };
  }

  #value(schema: BuiltinSchema): ValueCodec {
    const { typeName, type, format } = schema;
    if (typeName !== undefined) {
      const union = schemaUnion(typeName, () => this.#jsonSchemaProps());
      return scalarCodecs[typeName] ?? union ?? this.of(schema);
    }
    // A list as the value of a map entry is wrapped in a message: protobuf can't repeat that field.
    if (type === "array") return wrappedList(this.#value(schema.items!));
    if (format === "byte" || format === "int32") return plainCodecs[format];
    return plainCodecs[type as keyof typeof plainCodecs];
  }

  #schemaProps: MessageCodec | undefined;

  /** Only JSONSchemaProps refers to these unions, so its codec already exists. */
  #jsonSchemaProps(): MessageCodec {
    return this.#schemaProps!;
  }
}

/** The codecs of the fields of a CRD's schema that are unions in JSON, by the name of their type. */
function schemaUnion(typeName: string, schemaProps: () => ValueCodec): ValueCodec | undefined {
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

/** The codecs of protobuf's scalar types, by JSON schema type or format. */
const plainCodecs: Readonly<
  Record<"boolean" | "int32" | "integer" | "number" | "string" | "byte", ValueCodec>
> = {
  boolean: {
    wireType: wire.varint,
    read: (reader) => reader.varint() !== 0,
    write: (writer, field, value) => writer.varint(field, value === true ? 1 : 0),
    zero: false,
    isZero: (value) => value === false,
  },
  int32: {
    wireType: wire.varint,
    // Go keeps the lower half of what does not fit.
    read: (reader) => reader.varint() | 0,
    write: (writer, field, value) => writer.varint(field, Math.trunc(value as number)),
    zero: 0,
    isZero: (value) => value === 0,
  },
  integer: {
    wireType: wire.varint,
    read: (reader) => reader.varint(),
    write: (writer, field, value) => writer.varint(field, Math.trunc(value as number)),
    zero: 0,
    isZero: (value) => value === 0,
  },
  number: {
    wireType: wire.fixed64,
    read: (reader) => reader.double(),
    write: (writer, field, value) => writer.double(field, value as number),
    zero: 0,
    isZero: (value) => value === 0,
  },
  string: {
    wireType: wire.bytes,
    read: (reader) => reader.text(),
    write: (writer, field, value) => writer.text(field, value as string),
    zero: "",
    isZero: (value) => value === "",
  },
  byte: {
    wireType: wire.bytes,
    read: (reader) => reader.bytes().toString("base64"),
    write: (writer, field, value) => writer.bytes(field, Buffer.from(value as string, "base64")),
    zero: "",
    isZero: (value) => value === "",
  },
};

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

function wrappedList(item: ValueCodec): ValueCodec {
  const layout: Layout = new Map([[1, { name: "items", form: "list", value: item, zeroIsAbsent: false }]]);
  const list = messageCodec(() => layout);
  return {
    ...list,
    read: (reader, depth) => (list.read(reader, depth) as Record<string, unknown>)["items"] ?? [],
    write: (writer, field, value) => list.write(writer, field, { items: value }),
    zero: [],
    isZero: (value) => (value as unknown[]).length === 0,
  };
}
