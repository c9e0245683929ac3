import type { CelDouble } from "./double.ts";
import type { ExtensionValue } from "./extension.ts";
import type { Int } from "./int.ts";
import type { CelList } from "./list.ts";
import type { CelMap } from "./map.ts";
import type { CelObject } from "./object.ts";
import type { CelOptional } from "./optional.ts";
import type { CelDuration, CelTimestamp } from "./time.ts";
import type { TypeValue } from "./type-value.ts";
import type { CelUint } from "./uint.ts";

/** Any CEL value. Plain numbers and bigints are ints. */
export type Value =
  | null
  | boolean
  | Int
  | string
  | Uint8Array
  | CelUint
  | CelDouble
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelObject
  | CelOptional
  | TypeValue
  | ExtensionValue;
