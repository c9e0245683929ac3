import type { Plugin } from "../plugin.ts";
import { createApi } from "./create-api.ts";
import { createWebhook } from "./create-webhook.ts";
import { init } from "./init.ts";

/** The objects of the deployment: `config/`, in two layers of kustomize. */
export const kustomize: Plugin = { init, createApi, createWebhook };
