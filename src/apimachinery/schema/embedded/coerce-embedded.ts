import { isObject } from "../../json/index.ts";
import { type FieldError, invalid } from "../../errors/index.ts";
import { mapList, mapObject } from "../copy-on-write.ts";
import type { Shape } from "../shape.ts";
import { decodeMetadata, MalformedMetadataError } from "./decode-metadata.ts";

/** The result of coercing embedded resources. */
export interface Coerced {
  readonly object: unknown;
  readonly unknown: readonly string[];
  /** Why the object can't be decoded at all. */
  readonly malformed?: FieldError;
}

/** Ends the walk at the first malformed resource. */
class MalformedFieldError extends Error {
  readonly error: FieldError;

  constructor(error: FieldError) {
    super(error.body);
    this.error = error;
  }
}

/** Coerces type and metadata of embedded resources to the form in which they are stored. */
export function coerceEmbedded(object: unknown, shape: Shape): Coerced {
  const unknown: string[] = [];
  try {
    return { object: coerce(object, shape, "", unknown), unknown };
  } catch (error) {
    if (error instanceof MalformedFieldError) return { object, unknown: [], malformed: error.error };
    throw error;
  }
}

function coerce(value: unknown, shape: Shape, path: string, unknown: string[]): unknown {
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? mapList(value, (item, index) => coerce(item, items, `${path}[${index}]`, unknown)) : value;
  }
  if (!isObject(value)) return value;
  return mapObject(value, (item, key) => {
    const at = path === "" ? key : `${path}.${key}`;
    const coerced = shape.embedded ? coerceTypeField(key, item, at, unknown) : item;
    const child = shape.properties.get(key) ?? shape.values;
    return child ? coerce(coerced, child, at, unknown) : coerced;
  });
}

function coerceTypeField(key: string, value: unknown, path: string, unknown: string[]): unknown {
  if (key === "apiVersion" || key === "kind") {
    if (typeof value !== "string") throw new MalformedFieldError(invalid(path, value, "must be a string"));
    return value;
  }
  if (key !== "metadata") return value;
  try {
    const decoded = decodeMetadata(value, path);
    unknown.push(...decoded.unknown);
    return decoded.metadata;
  } catch (error) {
    if (error instanceof MalformedMetadataError)
      throw new MalformedFieldError(invalid(path, value, error.message));
    throw error;
  }
}
