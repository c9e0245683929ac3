import type { MarkerFamily } from "../definition.ts";
import { cel } from "./cel.ts";
import { collections } from "./collections.ts";
import { defaults } from "./defaults.ts";
import { descriptors } from "./descriptors.ts";
import { documentation } from "./documentation.ts";
import { immutability } from "./immutability.ts";
import { kinds } from "./kinds.ts";
import { numbers } from "./numbers.ts";
import { oneOf } from "./one-of.ts";
import { packages } from "./packages.ts";
import { presence } from "./presence.ts";
import { rbac } from "./rbac.ts";
import { strings } from "./strings.ts";
import { tailoring } from "./tailoring.ts";
import { topology } from "./topology.ts";
import { unknownFields } from "./unknown-fields.ts";
import { values } from "./values.ts";
import { webhooks } from "./webhooks.ts";

/** All markers, by family. To add a family, add a file, its page, and a line here. */
export const markerFamilies: readonly MarkerFamily[] = [
  presence,
  defaults,
  values,
  numbers,
  strings,
  collections,
  topology,
  cel,
  oneOf,
  immutability,
  unknownFields,
  documentation,
  tailoring,
  kinds,
  packages,
  rbac,
  webhooks,
  descriptors,
];
