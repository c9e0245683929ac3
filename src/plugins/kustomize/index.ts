import type { Plugin } from "../plugin.ts";
import { createApi } from "./create-api.ts";
import { createWebhook } from "./create-webhook.ts";
import { init } from "./init.ts";

/** The manifests in `config/`, in two layers of kustomize. */
export const kustomize: Plugin = { init, createApi, createWebhook };
