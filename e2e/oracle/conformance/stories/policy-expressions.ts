import { get, post, put, remove, strategic, type Step, type Story, story } from "../story.ts";
import {
  configMaps,
  type Fields,
  gone,
  inForce,
  ownNamespace,
  policy,
  policyFor,
  tryConfigMap,
} from "./policy-cases.ts";

/** A policy that returns the values of its expressions as warnings. */
function tells(name: string, expressions: readonly string[], spec: Fields = {}): Step[] {
  const validations = expressions.map((expression) => ({
    expression: "false",
    messageExpression: expression,
  }));
  return policyFor(name, { validations, ...spec }, { validationActions: ["Warn"] });
}

const about: Fields = { namespaceSelector: ownNamespace };

/** The same for requests of any kind. */
function tellsOf(name: string, rule: Fields, expressions: readonly string[], match: Fields = about): Step[] {
  const validations = expressions.map((expression) => ({
    expression: "false",
    messageExpression: expression,
  }));
  const resourceRules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], ...rule }];
  return policy(
    name,
    { matchConstraints: { ...match, resourceRules }, validations },
    { validationActions: ["Warn"] },
  );
}

const request = [
  "request.kind.group + '/' + request.kind.version + '/' + request.kind.kind",
  "request.resource.group + '/' + request.resource.version + '/' + request.resource.resource",
  "has(request.subResource) ? request.subResource : 'no subresource'",
  "request.requestKind.kind + ' ' + request.requestResource.resource",
  "request.operation + ' ' + (has(request.name) ? request.name : 'no name')",
  "has(request.namespace) ? request.namespace : 'no namespace'",
  "request.userInfo.username + ' ' + string(request.userInfo.groups)",
  "has(request.userInfo.uid) ? 'uid' : 'no uid'",
  "has(request.userInfo.extra) ? 'extra' : 'no extra'",
  "string(request.dryRun)",
];

const summary = [
  "request.operation + ' ' + request.kind.kind + ' ' + request.kind.group + ' ' + request.resource.resource + '/' + (has(request.subResource) ? request.subResource : '')",
  "(has(request.name) ? request.name : '-') + ' in ' + (has(request.namespace) ? request.namespace : '-')",
  "(object == null ? 'no' : object.kind) + ' object, ' + (oldObject == null ? 'no' : oldObject.kind) + ' old one'",
  "has(request.options) && request.options != null ? string(request.options.kind) : 'no options'",
  "namespaceObject == null ? 'no namespace' : namespaceObject.metadata.name",
];

const access = [
  "string(authorizer.requestResource.check('create').allowed())",
  "string(authorizer.requestResource.check('nothing').allowed())",
  "string(authorizer.group('').resource('secrets').namespace('{ns}').check('get').allowed())",
  "string(authorizer.group('').resource('pods').subresource('log').name('a').namespace('{ns}').check('get').allowed())",
  "string(authorizer.path('/healthz').check('get').allowed())",
  "string(authorizer.path('/nowhere').check('get').allowed())",
  "string(authorizer.serviceAccount('{ns}', 'reader').group('').resource('configmaps').namespace('{ns}').check('list').allowed())",
  "string(authorizer.serviceAccount('{ns}', 'other').group('').resource('configmaps').namespace('{ns}').check('list').allowed())",
  "string(authorizer.group('').resource('secrets').check('get').errored()) + authorizer.group('').resource('secrets').check('get').error()",
  "string(authorizer.group('').resource('configmaps').namespace('{ns}').labelSelector('a=b').fieldSelector('metadata.name=a').check('list').allowed())",
];

const path = "/api/v1/namespaces/{ns}";
const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}`;

/** The authorizer is only available in validations: a validation that fails shows false. */
function asks(name: string, questions: readonly string[]): Step[] {
  const validations = questions.map((question, index) => ({
    expression: `${question} == 'false'`,
    message: `question ${index + 1} is true`,
  }));
  return policyFor(name, { validations }, { validationActions: ["Warn"] });
}

export const policyExpressions: readonly Story[] = [
  story("what policies know about a request", [
    ...tells("request", request),
    ...tells("namespace", [
      "namespaceObject.metadata.name + ' ' + namespaceObject.status.phase + ' ' + namespaceObject.spec.finalizers[0]",
      "has(namespaceObject.metadata.labels) ? namespaceObject.metadata.labels['kubernetes.io/metadata.name'] : 'none'",
      "has(namespaceObject.metadata.annotations) ? 'annotations' : 'none'",
      "has(namespaceObject.metadata.UID) ? 'UID' : 'none'",
      "string(type(namespaceObject.metadata.creationTimestamp) == string)",
    ]),
    ...tells("object", [
      "string(object.metadata.?creationTimestamp.hasValue()) + ' ' + string(object.metadata.?uid.hasValue())",
      "object.apiVersion + ' ' + object.kind + ' ' + object.metadata.namespace",
      "string(has(object.metadata.managedFields))",
      "string(oldObject == null)",
      "string(type(object.data)) + ' ' + string(type(object.metadata)) + ' ' + string(type(request))",
      "'%s'.format([object.data])",
    ]),
    ...inForce(),
    ...["request", "namespace", "object"].map((name) => tryConfigMap(name)),
    ...gone("request", "namespace", "object"),
  ]),
  story("who may do what", [
    post(`${rbac}/roles`, {
      metadata: { name: "reader" },
      rules: [
        { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "create"] },
        { apiGroups: [""], resources: ["pods/log"], resourceNames: ["a"], verbs: ["get"] },
      ],
    }),
    post(`${rbac}/rolebindings`, {
      metadata: { name: "reader" },
      subjects: [
        { kind: "ServiceAccount", name: "reader" },
        { kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" },
      ],
      roleRef: { kind: "Role", name: "reader", apiGroup: "rbac.authorization.k8s.io" },
    }),
    ...asks("asked", access),
    ...policyFor("thrice", {
      validations: [
        {
          expression:
            "authorizer.path('/a').check('get').allowed() || authorizer.path('/b').check('get').allowed() || authorizer.path('/c').check('get').allowed()",
        },
      ],
    }),
    ...policyFor(
      "wrong",
      {
        validations: [
          { expression: "authorizer.path(object.data.none).check('get').allowed()" },
          { expression: "authorizer.path(' ').check('get').allowed()" },
        ],
      },
      { validationActions: ["Warn"] },
    ),
    ...policyFor(
      "wrong-account",
      {
        validations: [
          { expression: "authorizer.serviceAccount('a b', 'c').path('/').check('get').allowed()" },
          { expression: "authorizer.serviceAccount('a', 'C').path('/').check('get').allowed()" },
        ],
      },
      { validationActions: ["Warn"] },
    ),
    ...inForce(),
    tryConfigMap("asked"),
    { ...tryConfigMap("asked"), headers: { "Impersonate-User": "alice" } },
    { ...tryConfigMap("thrice"), headers: { "Impersonate-User": "alice" } },
    tryConfigMap("wrong"),
    tryConfigMap("wrong-account"),
    ...gone("asked", "thrice", "wrong", "wrong-account"),
  ]),
  story("policies on subresources", [
    post(`${path}/serviceaccounts`, { metadata: { name: "default" } }),
    post(`/apis/apps/v1/namespaces/{ns}/deployments`, {
      metadata: { name: "d" },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "b" }] } },
      },
    }),
    post(`${path}/pods`, { metadata: { name: "p" }, spec: { containers: [{ name: "a", image: "b" }] } }),
    ...tellsOf("all", { resources: ["deployments/*", "pods/*", "pods", "serviceaccounts/*"] }, summary),
    ...policy("scale", {
      matchConstraints: {
        ...about,
        resourceRules: [
          {
            apiGroups: ["apps"],
            apiVersions: ["v1"],
            operations: ["UPDATE"],
            resources: ["deployments/scale"],
          },
        ],
      },
      validations: [
        {
          expression: "object.spec.replicas <= 5",
          messageExpression: "string(oldObject.spec.replicas) + ' to ' + string(object.spec.replicas)",
        },
      ],
    }),
    ...inForce(),
    strategic("/apis/apps/v1/namespaces/{ns}/deployments/d/status", { status: { observedGeneration: 1 } }),
    strategic("/apis/apps/v1/namespaces/{ns}/deployments/d/scale", { spec: { replicas: 6 } }),
    strategic("/apis/apps/v1/namespaces/{ns}/deployments/d/scale", { spec: { replicas: 5 } }),
    put("/apis/apps/v1/namespaces/{ns}/deployments/d/scale", {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "d", namespace: "{ns}" },
      spec: { replicas: 7 },
    }),
    post(`${path}/pods/p/binding?dryRun=All`, {
      metadata: { name: "p" },
      target: { kind: "Node", name: "n" },
    }),
    strategic(`${path}/pods/p/status`, { status: { message: "m" } }),
    post(`${path}/pods/p/eviction?dryRun=All`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "p" },
    }),
    remove(`${path}/pods/p?gracePeriodSeconds=0`),
    ...gone("all", "scale"),
  ]),
  story("policies on namespaces and objects of the whole cluster", [
    ...tellsOf("ns", { resources: ["namespaces", "namespaces/*"], resourceNames: ["{ns}-x"] }, summary, {}),
    ...tellsOf(
      "labelled",
      { resources: ["namespaces"], resourceNames: ["{ns}-y"] },
      ["'labelled ' + request.operation"],
      {
        namespaceSelector: { matchLabels: { story: "{ns}" } },
      },
    ),
    ...tellsOf("roles", { resources: ["clusterroles"], resourceNames: ["{ns}-x"] }, summary, {
      namespaceSelector: { matchLabels: { never: "never" } },
    }),
    ...inForce(),
    post("/api/v1/namespaces", { metadata: { name: "{ns}-x" } }),
    strategic("/api/v1/namespaces/{ns}-x", { metadata: { labels: { story: "{ns}" } } }),
    strategic("/api/v1/namespaces/{ns}-x/status", { status: { conditions: [] } }),
    post("/apis/rbac.authorization.k8s.io/v1/clusterroles", { metadata: { name: "{ns}-x" }, rules: [] }),
    remove("/apis/rbac.authorization.k8s.io/v1/clusterroles/{ns}-x"),
    remove("/api/v1/namespaces/{ns}-x"),
    post("/api/v1/namespaces", { metadata: { name: "{ns}-y" } }),
    strategic("/api/v1/namespaces/{ns}-y", { metadata: { labels: { story: "{ns}" } } }),
    { ...remove("/api/v1/namespaces/{ns}-y?dryRun=All"), until: "labelled DELETE" },
    remove("/api/v1/namespaces/{ns}-y"),
    ...gone("ns", "labelled", "roles"),
  ]),
  story("which objects policies match", [
    ...tellsOf("chosen", { resources: ["configmaps"], resourceNames: ["a", "b"] }, ["'chosen'"], {
      ...about,
      objectSelector: { matchLabels: { a: "b" } },
    }),
    ...tellsOf("excluded", { resources: ["*"], resourceNames: ["in", "out"] }, ["'excluded not'"], {
      ...about,
      excludeResourceRules: [{ ...configMaps, resourceNames: ["out"] }],
    }),
    ...tellsOf("scoped", { resources: ["configmaps"], scope: "Cluster" }, ["'cluster'"]),
    ...policy(
      "bound",
      {
        matchConstraints: { ...about, resourceRules: [configMaps] },
        validations: [{ expression: "false", message: "bound" }],
      },
      {
        validationActions: ["Warn"],
        matchResources: { resourceRules: [{ ...configMaps, resourceNames: ["bound"] }] },
      },
    ),
    ...inForce(),
    tryConfigMap("a", { metadata: { name: "a", labels: { a: "b" } } }),
    tryConfigMap("b"),
    tryConfigMap("in"),
    tryConfigMap("out"),
    tryConfigMap("bound"),
    ...gone("chosen", "excluded", "scoped", "bound"),
  ]),
  story("policies are not asked about policies", [
    ...tellsOf(
      "policies",
      { apiGroups: ["admissionregistration.k8s.io"], resources: ["*"] },
      ["request.kind.kind"],
      { matchPolicy: "Exact" },
    ),
    ...inForce(),
    ...tellsOf("again", { resources: ["nothing"] }, ["'a'"]),
    post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All", {
      metadata: { name: "{ns}-hooks" },
    }),
    post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      spec: { resourceAttributes: { verb: "get", resource: "pods" } },
    }),
    ...gone("policies", "again"),
    get(`${path}/configmaps`),
  ]),
];
