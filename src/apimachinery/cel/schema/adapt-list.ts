import type { JSONSchema } from "../../schema/json-schema.ts";
import { isEqualValue } from "../values/equality.ts";
import { CelList, NativeList } from "../values/list.ts";
import { CelMap, normalizeKey } from "../values/map.ts";
import { CelObject } from "../values/object.ts";
import type { Value } from "../values/value.ts";
import type { Adapter } from "./adapter.ts";
import { escapeName } from "./escape.ts";

/** Adapts a list: sets and list maps are equal in any order, and `+` merges them. */
export function adaptList(json: readonly unknown[], schema: JSONSchema, adapt: Adapter): CelList {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return new SetList(json, adapt);
    case "map": {
      const keys = (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => escapeName(key) ?? key);
      return new MapList(json, adapt, keys);
    }
    default:
      return new SchemaList(json, adapt);
  }
}

/** A list over JSON, whose items are adapted on access. */
class SchemaList extends CelList {
  protected readonly json: readonly unknown[];
  protected readonly adapt: Adapter;

  constructor(json: readonly unknown[], adapt: Adapter) {
    super();
    this.json = json;
    this.adapt = adapt;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return this.adapt(this.json[index]);
  }
}

class SetList extends SchemaList {
  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false;
    return other.toArray().every((item) => includes(this.toArray(), item));
  }

  override plus(other: CelList): CelList {
    const items = this.toArray();
    for (const item of other) if (!includes(items, item)) items.push(item);
    return new NativeList(items);
  }
}

class MapList extends SchemaList {
  readonly #keys: readonly string[];

  constructor(json: readonly unknown[], adapt: Adapter, keys: readonly string[]) {
    super(json, adapt);
    this.#keys = keys;
  }

  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false;
    const items = new Map(this.toArray().map((item) => [this.#keyOf(item), item]));
    return other.toArray().every((item) => {
      const own = items.get(this.#keyOf(item));
      return own !== undefined && isEqualValue(own, item);
    });
  }

  /** Items of the other list replace those with the same keys, in place. */
  override plus(other: CelList): CelList {
    const items = this.toArray();
    const places = new Map(items.map((item, index) => [this.#keyOf(item), index]));
    for (const item of other) {
      const place = places.get(this.#keyOf(item));
      if (place === undefined) items.push(item);
      else items[place] = item;
    }
    return new NativeList(items);
  }

  #keyOf(item: Value): string {
    const values = this.#keys.map((key) => {
      const value =
        item instanceof CelObject ? item.find(key) : item instanceof CelMap ? item.find(key) : undefined;
      return value === undefined ? null : String(normalizeKey(value));
    });
    return JSON.stringify(values);
  }
}

function includes(items: readonly Value[], wanted: Value): boolean {
  return items.some((item) => isEqualValue(item, wanted));
}
