export type { JSONPatchOperation } from "@tsbuilder/apimachinery/patch";
export { ApiError } from "../errors/api-error.ts";
export { type ApiWarning, type CallContext, currentCallContext, runInCallContext } from "../scope/scope.ts";
export type { Client, ClientDefaults, Patch, Reader, Subresource, WatchEvent } from "./client.ts";
export type { Containers } from "./client.ts";
export type {
  CommandInput,
  ExecOptions,
  ExecResult,
  LogLines,
  LogOptions,
  PortForward,
  PortForwardOptions,
  TerminalSize,
} from "../containers/options.ts";
export type { ClusterConfig, Credential, Credentials, Impersonation } from "../http/config.ts";
export type { DeepReadonly, Edit } from "./deep-readonly.ts";
export type { Desired, DesiredStatus, Loose, StatusOf } from "./desired.ts";
export {
  type CallInterceptor,
  type ClientCall,
  type ClientInterceptors,
  type ClientVerb,
  interceptClient,
} from "./intercept-client.ts";
export { isMetadataOnly, metadataOnly } from "./metadata-only.ts";
export { formatKey, keyOf, keyText, type ObjectKey, type ObjectRef } from "./object-key.ts";
export type {
  ApplyOptions,
  CallOptions,
  CreateOptions,
  DeleteAllOptions,
  DeleteOptions,
  ListOptions,
  Owner,
  PageOptions,
  PatchOptions,
  ReadOptions,
  Selection,
  WatchOptions,
  WriteOptions,
} from "./options.ts";
export type { RestMapper, UnstructuredObject } from "./client.ts";
export { TerminalError } from "../errors/terminal-error.ts";
export type { ConfigSource } from "../http/http-transport.ts";
export { podNamespace } from "../config/in-cluster-config.ts";
export type { KubeconfigFile } from "../config/kubeconfig-file.ts";
export { type ClientOptions, createClient } from "./live-client.ts";
export { loadConfig, type LoadConfigOptions } from "../config/load-config.ts";
export type {
  Interceptor,
  RawRequest,
  RawResponse,
  RequestReport,
  TransportOptions,
  WebSocketConnection,
} from "../http/transport.ts";
export { Children, type Preparation, type Rejection } from "./children.ts";
export { createOrUpdate, type Draft, type Outcome } from "./read-modify-write.ts";
export { removeForeignPorts } from "./children.ts";
export { retryOnConflict, type RetryOptions } from "./read-modify-write.ts";
