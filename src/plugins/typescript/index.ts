import type { Plugin } from "../plugin.ts";
import { createApi } from "./create-api.ts";
import { createWebhook } from "./create-webhook.ts";
import { init } from "./init.ts";

/** The operator's program: package, sources, tests and tooling. */
export const typescript: Plugin = { init, createApi, createWebhook };
