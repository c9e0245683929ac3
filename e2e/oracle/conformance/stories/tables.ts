import type { Story } from "../story.ts";
import { accessTables } from "./tables/access.ts";
import { configurationTables } from "./tables/configuration.ts";
import { nodeAndStorageTables } from "./tables/nodes-and-storage.ts";
import { podTables } from "./tables/pods.ts";
import { serviceTables } from "./tables/services.ts";
import { workloadTables } from "./tables/workloads.ts";

/** Every built-in kind as kubectl prints it. */
export const tables: readonly Story[] = [
  podTables,
  workloadTables,
  serviceTables,
  configurationTables,
  accessTables,
  nodeAndStorageTables,
];
