// Puts the parts of a cluster together: the store, the kinds, admission, the filters of requests, and the objects that
// every cluster has. `start-cluster.ts` and `start-in-process.ts` start what is assembled here. Begin with
// `handlerOf()` to follow a request, or with `makeCore()` to see the order of the admission plugins.

import type { Connect, KubeletTLS } from "./contract/kubelet-tls.ts";
import type { User } from "./contract/user.ts";
import { serveRelease } from "./contract/version.ts";
import { AdmissionChain } from "./admission/admission.ts";
import {
  claimResize,
  defaultTolerations,
  namespaceLifecycle,
  taintNewNodes,
  podPriority,
  runtimeClass,
  systemPriorities,
} from "./admission/plugins.ts";
import { convertByWebhook } from "./admission/webhooks/convert-by-webhook.ts";
import { certificates } from "./admission/plugins.ts";
import { nodeRestriction } from "./admission/node-restriction.ts";
import { limitRanger } from "./admission/limit-ranger.ts";
import { podSecurity } from "./admission/pod-security.ts";
import { mutatingPolicies } from "./admission/policies/mutating-policies.ts";
import { validatingPolicies } from "./admission/policies/validating-policies.ts";
import { resourceQuota } from "./admission/resource-quota.ts";
import { roleEscalation } from "./admission/role-escalation.ts";
import { podServiceAccount } from "./admission/service-account.ts";
import type { Caller, WebhookCall } from "./admission/webhooks/call-webhook.ts";
import type { WebhookClient } from "./admission/webhooks/webhook-client.ts";
import { webhookAdmission } from "./admission/webhooks/webhooks.ts";
import { NodeAuthorizer } from "./auth/node-authorizer.ts";
import { aggregateRoles, RBAC } from "./auth/rbac.ts";
import type { ClusterObjects } from "./contract/cluster-objects.ts";
import { alwaysAllow, anyOf } from "./contract/authorizer.ts";
import { bootstrapRBAC, controlPlaneRBAC, rulesOfRole } from "./bootstrap/bootstrap-rbac.ts";
import { fillTokenSecrets } from "./auth/fill-token-secrets.ts";
import { ServiceAccountTokens } from "./auth/service-account-tokens.ts";
import { type ControllerName, type Stage, startControllers } from "./controllers/index.ts";
import { publishGroups } from "./bootstrap/api-services.ts";
import { authenticationFilter, authorizationFilter, impersonationFilter } from "./filters/access.ts";
import { errorsFilter } from "./filters/errors.ts";
import { type Intercept, interceptionFilter } from "./filters/interception.ts";
import { type AnsweredRequest, requestsFilter } from "./filters/requests.ts";
import { AggregatedAPIs, type FrontProxy } from "./handlers/connect/aggregated-apis.ts";
import { ensureDefaultAccount } from "./kinds/core/service-account.ts";
import { addBuiltIns } from "./built-in/built-in-resource.ts";
import { bootstrap, storeBootstrapObjects } from "./bootstrap/bootstrap.ts";
import { keepFlowControl } from "./bootstrap/flow-control.ts";
import { type ServerPlace, publishServer } from "./bootstrap/publish-server.ts";
import { keepServiceAddresses } from "./bootstrap/service-addresses.ts";
import { clusterObjects } from "./registry/cluster-objects.ts";
import type { Core } from "./registry/core.ts";
import { type ClusterWrite, noteWriter, tellWrites, withWriters } from "./registry/writers.ts";
import { expireEvents, expireLists } from "./bootstrap/expire.ts";
import { serveDefinitions } from "./custom/definitions.ts";
import { Registry } from "./registry/registry.ts";
import { apiHandler } from "./server/api-handler.ts";
import { compose, type Handler } from "./http/request-context.ts";
import type { Pace } from "./control-loop/pace.ts";
import { TimeSlices } from "./http/time-slices.ts";
import { WatchTurn } from "./http/watch-turn.ts";
import type { FileJournal } from "./storage/file-journal.ts";
import { type Snapshot, Store } from "./storage/store.ts";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";
import type { Clock } from "@tsbuilder/apimachinery/time";

/** The options of an API server, with or without a port. */
export interface AssembleOptions {
  /**
   * The release of Kubernetes to serve: `1.35`, `1.36` or `1.37`. All clusters of a process serve the same one. Default: the
   * environment variable `TSBUILDER_KUBERNETES_VERSION`, or 1.36.
   */
  readonly kubernetesVersion?: string | undefined;
  /** `AlwaysAllow` allows every request. Default: `RBAC`, and as with `Node,RBAC` what kubelets need for their pods. */
  readonly authorization?: "RBAC" | "AlwaysAllow";
  /** The controllers to run. Default: none, as in envtest. */
  readonly controllers?: readonly ControllerName[];
  /** Wraps the objects that controllers read and write, for example to let writes fail. */
  readonly wrapObjects?: (objects: ClusterObjects) => ClusterObjects;
  /** Called with each object that exists at the start, and with each later write. */
  readonly onWrite?: ((write: ClusterWrite) => void) | undefined;
  /** Called after each call of an admission or conversion webhook. */
  readonly onWebhookCall?: ((call: WebhookCall) => void) | undefined;
  /** Called after each answered request, with the user who sent it. */
  readonly onRequest?: ((request: AnsweredRequest) => void) | undefined;
  /** Makes authorized requests fail or wait, to test clients. */
  readonly intercept?: Intercept | undefined;
  /**
   * Admission plugins to disable, by kube-apiserver's names. Default: `ServiceAccount` without the controller
   * `serviceaccount`, as then no namespace has ServiceAccounts.
   */
  readonly disableAdmissionPlugins?: readonly "ServiceAccount"[];
  /** The stages of the controller `stage`, as read by `parseStages`. */
  readonly stages?: readonly Stage[];
  /** How long pods take to be scheduled, started, made ready and ended, and claims to be bound. Default: no time. */
  readonly pace?: Pace;
  /** The number of changes of each resource that are kept for watchers; older revisions get 410. Default: 10,000. */
  readonly historyLimit?: number;
  /** The private key (PEM) that signs the tokens of service accounts. Default: a new one. */
  readonly serviceAccountKey?: string;
  readonly serviceAccountIssuer?: string;
  /** The initial objects, besides those that every cluster has. Default: none. */
  readonly state?: Snapshot;
  /**
   * The clock of connections: of the timeouts of watches, the delays of `intercept` and the durations of webhook calls. If
   * it differs from the cluster's clock, that can be moved without ending watches. Default: the cluster's clock.
   */
  readonly connectionClock?: Clock;
  /** Receives unexpected errors. */
  readonly onError: (error: unknown) => void;
}

/** The parts of a cluster that depend on how it is reached. */
export interface ClusterParts {
  readonly clock: Clock;
  readonly webhooks: WebhookClient;
  readonly findToken: (token: string) => User | undefined;
  /** The CA certificate that clients verify the server with, in PEM. */
  readonly caCertificate: string;
  /** The CA that signs certificate requests. */
  readonly authority?: CertificateWithKey;
  readonly journal?: FileJournal | undefined;
  readonly kubelets?: KubeletTLS;
  readonly connect?: Connect | undefined;
  /** How API servers behind Services are reached. Default: none are. */
  readonly frontProxy?: FrontProxy | undefined;
  readonly loadImages?: Core["loadImages"];
  readonly servingCertificate?: string;
}

/** An API server that does not serve requests yet. */
export interface AssembledCluster {
  readonly core: Core;
  readonly handler: Handler;
  /** Announces the server with its port, and starts the controllers. */
  readonly run: (place: ServerPlace) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Puts an API server together: its store, kinds, admission, filters and the objects that every cluster has. */
export async function assembleCluster(
  options: AssembleOptions,
  parts: ClusterParts,
): Promise<AssembledCluster> {
  const { onError } = options;
  const { clock } = parts;
  serveRelease(options.kubernetesVersion);
  const caller = callerOf(options, parts);
  const core = makeCore(options, parts, caller);
  await bootstrap(core, [...bootstrapRBAC(), ...systemPriorities]);
  storeBootstrapObjects(core, controlPlaneRBAC());
  const aggregated = new AggregatedAPIs(core, parts.frontProxy ?? { findService: () => undefined });
  const stops = [
    () => aggregated.stop(),
    keepFlowControl(core),
    aggregateRoles(core.store),
    expireEvents(core.store, clock),
    expireLists(core.store, clock),
    serveDefinitions(core, convertByWebhook(caller)),
    publishGroups(core),
  ];
  const { onWrite } = options;
  if (onWrite) stops.push(tellWrites(core, onWrite));
  let stopControllers = async (): Promise<void> => {};
  return {
    core,
    handler: handlerOf(core, aggregated, options),
    async run(place) {
      stops.push(keepServiceAddresses(core), await publishServer(core, place));
      const objects = needsWriters(options) ? withWriters(clusterObjects(core)) : clusterObjects(core);
      const context = {
        objects: options.wrapObjects?.(objects) ?? objects,
        clock,
        caCertificate: parts.caCertificate,
        authority: parts.authority,
        authorizer: core.authorizer,
        stages: options.stages,
        pace: options.pace,
        readMetrics: {
          isServed: () => aggregated.versions().some(({ group }) => group === "metrics.k8s.io"),
          get: (path: string) => aggregated.get(path),
        },
        onError: (controller: string, key: string, cause: unknown) =>
          onError(new Error(`controller ${controller} failed on ${key}`, { cause })),
      };
      const controllers = startControllers(context, options.controllers ?? []);
      stopControllers = () => controllers.stop();
      if (options.controllers?.includes("serviceaccount"))
        stops.push(fillTokenSecrets({ ...context, tokens: core.tokens, onError }));
    },
    async stop() {
      await stopControllers();
      for (const stop of stops) stop();
    },
  };
}

/** Returns true if an observer needs the writer of each write or webhook call. */
function needsWriters({ onWrite, onWebhookCall }: AssembleOptions): boolean {
  return onWrite !== undefined || onWebhookCall !== undefined;
}

function callerOf({ onWebhookCall, connectionClock }: AssembleOptions, { clock, webhooks }: ClusterParts) {
  const observer = onWebhookCall && { clock: connectionClock ?? clock, tell: onWebhookCall };
  return { client: webhooks, observer };
}

/** Makes the parts that all handlers share. The admission plugins are in the order in which they run. */
function makeCore(options: AssembleOptions, parts: ClusterParts, caller: Caller) {
  const { clock, findToken, journal, kubelets, connect, loadImages, servingCertificate } = parts;
  const { historyLimit, authorization = "RBAC", serviceAccountKey, onError } = options;
  const { serviceAccountIssuer = "https://kubernetes.default.svc.cluster.local" } = options;
  const store = new Store({
    ...(historyLimit !== undefined && { historyLimit }),
    ...(journal && { journal }),
    onError,
  });
  journal?.restore(store);
  if (options.state) loadSnapshot(store, options.state);
  const registry = new Registry(store);
  addBuiltIns(registry);
  const authorizer =
    authorization === "RBAC"
      ? anyOf([new NodeAuthorizer(store, rulesOfRole("system:node")), new RBAC(store)])
      : alwaysAllow;
  const tokens = new ServiceAccountTokens(store, clock, serviceAccountIssuer, serviceAccountKey);
  // Fails if the controller creates the account first; the plugin then finds it.
  const createDefault = (namespace: string): Promise<void> =>
    ensureDefaultAccount(withWriters(clusterObjects(core)), namespace).catch(() => undefined);
  const core: Core = {
    store,
    registry,
    clock,
    connectionClock: options.connectionClock ?? clock,
    slices: new TimeSlices(),
    watchTurn: new WatchTurn(),
    onError,
    admission: new AdmissionChain([
      namespaceLifecycle(store),
      limitRanger(store),
      ...(requiresAccounts(options) ? [podServiceAccount({ store, createDefault })] : []),
      nodeRestriction(store, authorizer),
      podSecurity(store),
      taintNewNodes,
      podPriority(store),
      defaultTolerations,
      runtimeClass(store),
      claimResize(store),
      mutatingPolicies({ store, registry, authorizer }),
      validatingPolicies({ store, registry, authorizer }),
      webhookAdmission({ store, ...caller, authorizer, registry }),
      roleEscalation(store, authorizer),
      certificates(authorizer),
      resourceQuota(() => core),
    ]),
    authorizer,
    tokens,
    kubelets,
    connect,
    loadImages,
    servingCertificate,
    readToken(token, audience) {
      const user = findToken(token);
      return user ? { user, audiences: [audience] } : tokens.read(token, audience);
    },
  };
  return core;
}

/** Returns true if pods need a ServiceAccount. As in envtest, by default they don't if no controller creates accounts. */
function requiresAccounts({ controllers = [], disableAdmissionPlugins }: AssembleOptions): boolean {
  if (disableAdmissionPlugins) return !disableAdmissionPlugins.includes("ServiceAccount");
  return controllers.includes("serviceaccount");
}

/** Makes the handler of requests: errors, authentication, impersonation, authorization, then the API. */
function handlerOf(core: Core, aggregated: AggregatedAPIs, options: AssembleOptions): Handler {
  const { onError, onRequest, intercept } = options;
  const readToken = (token: string) => core.readToken(token, core.tokens.issuer)?.user;
  return compose(
    [
      ...(onRequest ? [requestsFilter(onRequest, core.connectionClock)] : []),
      errorsFilter(onError),
      authenticationFilter(readToken),
      impersonationFilter(core.authorizer),
      authorizationFilter(core.authorizer),
      ...(intercept ? [interceptionFilter(intercept, core.connectionClock)] : []),
      ...(needsWriters(options) ? [noteWriter] : []),
    ],
    apiHandler(core, aggregated),
  );
}

/** Starts with the objects of a snapshot, at its revision: watches can't resume from before it. */
function loadSnapshot(store: Store, { revision, collections }: Snapshot): void {
  const state = [...collections].flatMap(([collection, entries]) =>
    [...entries.values()].map(({ key, revision: stored, object }) => ({
      collection,
      key,
      revision: stored,
      object,
      lastState: undefined,
    })),
  );
  store.load({ revision, state, writes: [] });
}
