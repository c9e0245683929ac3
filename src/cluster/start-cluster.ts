import type { User } from "./contract/user.ts";
import { inspect } from "node:util";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";
import { AdmissionChain } from "./admission/admission.ts";
import { claimResize } from "./admission/claim-resize.ts";
import { convertByWebhook } from "./admission/convert-by-webhook.ts";
import { defaultTolerations } from "./admission/default-tolerations.ts";
import { limitRanger } from "./admission/limit-ranger.ts";
import { namespaceLifecycle } from "./admission/namespace-lifecycle.ts";
import { newNode } from "./admission/new-node.ts";
import { podSecurity } from "./admission/pod-security/pod-security.ts";
import { mutatingPolicies } from "./admission/policies/mutating-policies.ts";
import { validatingPolicies } from "./admission/policies/validating-policies.ts";
import { podPriority, systemPriorities } from "./admission/priority.ts";
import { resourceQuota } from "./admission/resource-quota.ts";
import { roleEscalation } from "./admission/role-escalation.ts";
import { runtimeClass } from "./admission/runtime-class.ts";
import { podServiceAccount } from "./admission/service-account/service-account.ts";
import { type ServiceResolver, WebhookClient } from "./admission/webhook-client.ts";
import { webhookAdmission } from "./admission/webhooks.ts";
import { aggregateRoles } from "./auth/aggregate-roles.ts";
import { alwaysAllow } from "./contract/authorizer.ts";
import { bootstrapRBAC, controlPlaneRBAC } from "./bootstrap/bootstrap-rbac.ts";
import { Credentials } from "./auth/credentials.ts";
import { fillTokenSecrets } from "./auth/fill-token-secrets.ts";
import { RBAC } from "./auth/rbac.ts";
import { storedCredentials } from "./auth/stored-credentials.ts";
import { ServiceAccountTokens } from "./auth/service-account-tokens.ts";
import { type Clock, backgroundClock } from "@tsbuilder/apimachinery/time";
import { type ControllerName, type Stage, startControllers } from "./controllers/index.ts";
import { publishGroups } from "./discovery/api-services.ts";
import { authenticationFilter } from "./filters/authentication.ts";
import { authorizationFilter } from "./filters/authorization.ts";
import { errorsFilter } from "./filters/errors.ts";
import { impersonationFilter } from "./filters/impersonation.ts";
import type { Kubeconfig } from "./auth/kubeconfig.ts";
import { ensureDefaultAccount } from "./kinds/core/service-account/controller/service-account-controller.ts";
import { addBuiltIns } from "./built-in/add-built-ins.ts";
import { bootstrap } from "./bootstrap/bootstrap.ts";
import { keepFlowControl } from "./bootstrap/flow-control.ts";
import { publishServer } from "./bootstrap/publish-server.ts";
import { keepServiceAddresses } from "./bootstrap/service-addresses.ts";
import { storeBootstrapObjects } from "./bootstrap/store-bootstrap-objects.ts";
import { clusterObjects } from "./registry/cluster-objects.ts";
import type { Core } from "./registry/core.ts";
import { expireEvents } from "./bootstrap/expire-events.ts";
import { expireLists } from "./bootstrap/expire-lists.ts";
import { serveDefinitions } from "./custom/definitions.ts";
import { Registry } from "./registry/registry.ts";
import { apiHandler } from "./server/api-handler.ts";
import { listen } from "./server/listen.ts";
import { compose, type Handler } from "./http/request-context.ts";
import { FileJournal } from "./storage/file-journal.ts";
import { lockFolder } from "./storage/lock-folder.ts";
import { type Snapshot, Store } from "./storage/store.ts";

export interface ClusterOptions {
  /** Default: 0, a free port. */
  readonly port?: number;
  /** Default: loopback. */
  readonly host?: string;
  readonly clock?: Clock;
  /** `AlwaysAllow` allows every request. Default: `RBAC`. */
  readonly authorization?: "RBAC" | "AlwaysAllow";
  /** The controllers to run. Default: none, as in envtest. */
  readonly controllers?: readonly ControllerName[];
  /**
   * Admission plugins to leave out, by kube-apiserver's names. Without the controller `serviceaccount`, no namespace has
   * ServiceAccounts, so `ServiceAccount` is left out anyway.
   */
  readonly disableAdmissionPlugins?: readonly "ServiceAccount"[];
  /** The stages of the controller `stage`, as read by `parseStages`. */
  readonly stages?: readonly Stage[];
  /** How many changes of each resource are kept for watchers; older revisions get 410. Default: 10,000. */
  readonly historyLimit?: number;
  /** A folder for objects, certificates and keys. Default: everything is in memory. */
  readonly dataDir?: string;
  /** Certificates and keys (PEM) to use instead of new ones; `clientCA` is accepted besides the cluster's own CA. */
  readonly certificates?: {
    readonly ca?: CertificateWithKey;
    readonly serving?: CertificateWithKey;
    readonly clientCA?: string;
  };
  /** The private key (PEM) that signs the tokens of service accounts. Default: a new one. */
  readonly serviceAccountKey?: string;
  readonly serviceAccountIssuer?: string;
  /** Static bearer tokens with their users. */
  readonly tokens?: Readonly<Record<string, User>>;
  /** Returns the local port behind a Service in a webhook configuration, such as that of an operator under development. */
  readonly resolveService?: ServiceResolver;
  /** Receives unexpected errors. Default: prints them to standard error. */
  readonly onError?: (error: unknown) => void;
}

/** A running cluster. */
export interface Cluster {
  readonly url: string;
  /** The kubeconfig of an administrator. */
  readonly kubeconfig: Kubeconfig;
  readonly core: Core;
  /** Issues a kubeconfig for a user with any name and groups; RBAC decides what the user may do. */
  addUser(name: string, groups?: readonly string[]): Kubeconfig;
  /** The current state of all objects, in constant time. */
  snapshot(): Snapshot;
  /** Restores a snapshot; clients see this as writes. */
  restore(snapshot: Snapshot): void;
  stop(): Promise<void>;
}

/** Starts an API server on loopback, in this process. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  if (options.dataDir === undefined) return startUnlocked(options);
  const unlock = lockFolder(options.dataDir);
  try {
    const cluster = await startUnlocked(options);
    return { ...cluster, stop: () => cluster.stop().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function startUnlocked(options: ClusterOptions): Promise<Cluster> {
  const { port = 0, host = "127.0.0.1", clock = backgroundClock, onError = reportError } = options;
  const journal = options.dataDir === undefined ? undefined : new FileJournal(options.dataDir);
  const stored = options.dataDir === undefined ? undefined : storedCredentials(options.dataDir);
  const credentials = new Credentials({ ...stored, ...options.certificates });
  for (const [token, user] of Object.entries(options.tokens ?? {})) credentials.addToken(token, user);
  const webhooks = new WebhookClient(options.resolveService ?? (() => undefined));
  const key = options.serviceAccountKey ?? stored?.serviceAccountKey;
  const core = makeCore(
    { ...options, onError, ...(key !== undefined && { serviceAccountKey: key }) },
    { clock, credentials, webhooks, journal },
  );
  await bootstrap(core, [...bootstrapRBAC(), ...systemPriorities]);
  storeBootstrapObjects(core, controlPlaneRBAC());
  const stopFlowControl = keepFlowControl(core);
  const stopAggregation = aggregateRoles(core.store);
  const stopExpiry = expireEvents(core.store, clock);
  const stopExpiringLists = expireLists(core.store, clock);
  const stopDefinitions = serveDefinitions(core, convertByWebhook(webhooks));
  const stopGroups = publishGroups(core);

  const listener = await listen(handlerOf(core, onError), {
    host,
    port,
    onError,
    serving: credentials.serving,
    clientCA: [
      credentials.ca.cert,
      ...(options.certificates?.clientCA ? [options.certificates.clientCA] : []),
    ],
  });
  const stopAddresses = keepServiceAddresses(core);
  const stopPublishing = await publishServer(core, Number(new URL(listener.url).port));
  const context = {
    objects: clusterObjects(core),
    clock,
    caCertificate: credentials.ca.cert,
    stages: options.stages,
    onError: (controller: string, key: string, cause: unknown) =>
      onError(new Error(`controller ${controller} failed on ${key}`, { cause })),
  };
  const controllers = startControllers(context, options.controllers ?? []);
  const stopFilling = options.controllers?.includes("serviceaccount")
    ? fillTokenSecrets({ ...context, tokens: core.tokens, onError })
    : undefined;
  return {
    url: listener.url,
    core,
    kubeconfig: credentials.issue(listener.url, "kubernetes-admin", ["system:masters"]),
    addUser: (name, groups = []) => credentials.issue(listener.url, name, groups),
    snapshot: () => core.store.snapshot(),
    restore: (snapshot) => core.store.restore(snapshot),
    async stop() {
      await controllers.stop();
      stopFilling?.();
      stopGroups();
      stopDefinitions();
      stopAggregation();
      stopPublishing();
      stopAddresses();
      stopFlowControl();
      stopExpiry();
      stopExpiringLists();
      await listener.close();
      journal?.close();
    },
  };
}

interface Parts {
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly webhooks: WebhookClient;
  readonly journal: FileJournal | undefined;
}

function makeCore(
  options: ClusterOptions & Required<Pick<ClusterOptions, "onError">>,
  { clock, credentials, webhooks, journal }: Parts,
): Core {
  const { historyLimit, authorization = "RBAC", serviceAccountKey, onError } = options;
  const { serviceAccountIssuer = "https://kubernetes.default.svc.cluster.local" } = options;
  const store = new Store({
    ...(historyLimit !== undefined && { historyLimit }),
    ...(journal && { journal }),
    onError,
  });
  journal?.restore(store);
  const registry = new Registry(store);
  addBuiltIns(registry);
  const authorizer = authorization === "RBAC" ? new RBAC(store) : alwaysAllow;
  const tokens = new ServiceAccountTokens(store, clock, serviceAccountIssuer, serviceAccountKey);
  // Its controller may create it first; whether it exists then is up to the plugin.
  const createDefault = (namespace: string): Promise<void> =>
    ensureDefaultAccount(clusterObjects(core), namespace).catch(() => undefined);
  const core: Core = {
    store,
    registry,
    clock,
    admission: new AdmissionChain([
      namespaceLifecycle(store),
      limitRanger(store),
      ...(hasAccounts(options) ? [podServiceAccount({ store, createDefault })] : []),
      podSecurity(store),
      newNode,
      podPriority(store),
      defaultTolerations,
      runtimeClass(store),
      claimResize(store),
      mutatingPolicies({ store, registry, authorizer }),
      validatingPolicies({ store, registry, authorizer }),
      webhookAdmission({ store, client: webhooks, authorizer }),
      roleEscalation(store, authorizer),
      resourceQuota(() => core),
    ]),
    authorizer,
    tokens,
    readToken(token, audience) {
      const user = credentials.findToken(token);
      return user ? { user, audiences: [audience] } : tokens.read(token, audience);
    },
  };
  return core;
}

/** As with kube-apiserver in envtest, pods need no account where no controller creates accounts. */
function hasAccounts({ controllers = [], disableAdmissionPlugins = [] }: ClusterOptions): boolean {
  return controllers.includes("serviceaccount") && !disableAdmissionPlugins.includes("ServiceAccount");
}

/** The way of a request: errors, authentication, impersonation, authorization, then the handler. */
function handlerOf(core: Core, onError: (error: unknown) => void): Handler {
  const readToken = (token: string) => core.readToken(token, core.tokens.issuer)?.user;
  return compose(
    [
      errorsFilter(onError),
      authenticationFilter(readToken),
      impersonationFilter(core.authorizer),
      authorizationFilter(core.authorizer),
    ],
    apiHandler(core),
  );
}

function reportError(error: unknown): void {
  process.stderr.write(`cluster: ${inspect(error)}\n`);
}
