import { merge, post, type Story, story } from "../story.ts";

const group = "/apis/resource.k8s.io/v1";
const claims = `${group}/namespaces/{ns}/resourceclaims`;
const templates = `${group}/namespaces/{ns}/resourceclaimtemplates`;
const classes = `${group}/deviceclasses`;
const slices = `${group}/resourceslices`;

const exactly = (fields: object = {}) => ({ deviceClassName: "gpu.example.com", ...fields });
const claim = (name: string, devices: object) => post(claims, { metadata: { name }, spec: { devices } });
const request = (name: string, fields: object = {}) =>
  claim(name, { requests: [{ name: "r", exactly: exactly(fields) }] });
const deviceClass = (name: string, spec: object) => post(classes, { metadata: { name }, spec });
const slice = (name: string, spec: object) =>
  post(slices, {
    metadata: { name: `{ns}-${name}` },
    spec: { driver: "gpu.example.com", pool: { name: "p", resourceSliceCount: 1 }, ...spec },
  });
const opaque = { driver: "gpu.example.com", parameters: { a: 1 } };

const selecting = (name: string, expression?: string) =>
  request(name, { selectors: [{ cel: { ...(expression !== undefined && { expression }) } }] });

/** Expressions that are accepted. */
const selectors = [
  "true",
  'device.driver == "gpu.example.com"',
  'device.attributes["gpu.example.com"].shared',
  'device.attributes["gpu.example.com"].version.isGreaterThan(semver("1.2.3"))',
  'device.capacity["gpu.example.com"].memory.compareTo(quantity("8Gi")) >= 0',
  '"memory" in device.capacity["gpu.example.com"] && device.allowMultipleAllocations',
  'device.attributes["a"].name.matches("^a")',
  'device.attributes["a"].index == 3 || device.attributes["a"].?b.orValue(false)',
  'cel.bind(dra, device.attributes["a"], dra.b && dra.c)',
  'has(device.attributes) && has(device.attributes["a"].b)',
];

/** Expressions that are refused. */
const malformed = [
  "",
  "1",
  '"a"',
  "device",
  "device.driver",
  "device.name",
  "device.driver == 1",
  'device.capacity["a"]',
  'device.capacity["a"].b',
  "device.attributes",
  "device.attributes.a",
  "[true]",
  "true &&",
  "object.a",
  'device.driver.matches("[")',
  "\n",
];

/** A slice with a device whose capacity of 10Gi is shared by a policy. */
const sharing = (name: string, requestPolicy: object, allowMultipleAllocations: boolean | null = true) =>
  slice(name, {
    allNodes: true,
    devices: [
      {
        name: "a",
        ...(allowMultipleAllocations !== null && { allowMultipleAllocations }),
        capacity: { memory: { value: "10Gi", requestPolicy } },
      },
    ],
  });
const range = (name: string, fields: object, usual = "2Gi") =>
  sharing(name, { default: usual, validRange: { min: "1Gi", ...fields } });

export const deviceRules: readonly Story[] = [
  story("rules of resource claims", [
    request("good"),
    claim("nothing", { requests: [{ name: "" }] }),
    claim("twice", {
      requests: [
        { name: "r", exactly: exactly() },
        { name: "r", exactly: exactly({ deviceClassName: "A B" }) },
      ],
    }),
    request("counts", { allocationMode: "All", count: 2 }),
    request("negative", { count: -1 }),
    request("selector", { selectors: [{}] }),
    request("tolerations", {
      tolerations: [
        { operator: "Exists", value: "v" },
        { operator: "Equal", value: "a b" },
        { key: "a b", operator: "Equal" },
      ],
    }),
    claim("choices", {
      requests: [
        {
          name: "r",
          firstAvailable: [
            { name: "a", deviceClassName: "gpu" },
            { name: "a", deviceClassName: "" },
          ],
        },
      ],
    }),
    claim("references", {
      requests: [{ name: "r", exactly: exactly() }],
      constraints: [
        { requests: ["r", "other"], matchAttribute: "gpu.example.com/model" },
        { requests: ["r"], matchAttribute: "model" },
      ],
      config: [{ requests: ["r/a/b"], opaque }, { opaque: { driver: "" } }, {}],
    }),
  ]),
  story("rules of resource claim templates", [
    post(templates, {
      metadata: { name: "good" },
      spec: { spec: { devices: { requests: [{ name: "r", exactly: exactly() }] } } },
    }),
    post(templates, {
      metadata: { name: "bad" },
      spec: { spec: { devices: { requests: [{ name: "r" }] } } },
    }),
  ]),
  story("rules of device classes", [
    deviceClass("{ns}-good", { config: [{ opaque }], extendedResourceName: "example.com/gpu" }),
    deviceClass("{ns}-config", { config: [{}, { opaque: { driver: "d", parameters: [] } }] }),
    deviceClass("{ns}-name", { extendedResourceName: "gpu", selectors: [{}] }),
  ]),
  story("expressions that select devices", [
    ...selectors.map((each, index) => selecting(`good-${index}`, each)),
    ...malformed.map((each, index) => selecting(`bad-${index}`, each)),
    selecting("absent"),
    deviceClass("{ns}-selecting", { selectors: [{ cel: { expression: "device.a" } }] }),
  ]),
  story("policies of requests for capacity", [
    sharing("usual", { default: "1Gi" }),
    sharing("values", { default: "2Gi", validValues: ["1Gi", "2Gi", "4096Mi"] }),
    range("range", { max: "4Gi", step: "512Mi" }),
    sharing("alone", { default: "1Gi" }, false),
    sharing("unsaid", { default: "1Gi" }, null),
    sharing("both", { default: "1Gi", validValues: ["1Gi"], validRange: { min: "1Gi" } }),
    sharing("no-value", { validValues: ["1Gi"] }),
    sharing("no-range", { validRange: { min: "1Gi" } }),
    sharing("unsorted", { default: "2Gi", validValues: ["2Gi", "1Gi", "1024Mi", "11Gi"] }),
    sharing("other", { default: "3Gi", validValues: ["1Gi", "2Gi"] }),
    sharing("many", { default: "1", validValues: Array.from({ length: 11 }, (_, index) => `${index + 1}`) }),
    sharing("fractions", { default: "100m", validValues: ["100m", "200m"] }),
    range("no-min", { min: undefined }),
    range("high-min", { min: "11Gi" }),
    range("low", {}, "512Mi"),
    range("high-max", { max: "12Gi" }),
    range("crossed", { min: "4Gi", max: "2Gi" }, "3Gi"),
    range("step", { max: "4Gi", step: "700Mi" }),
    range("high-step", { step: "10Gi" }, "1Gi"),
  ]),
  story("rules of resource slices", [
    slice("good", { nodeName: "n", devices: [{ name: "a" }] }),
    slice("nowhere", {}),
    slice("no-terms", { nodeSelector: { nodeSelectorTerms: [] } }),
    slice("counted", { allNodes: true, devices: [{ name: "a", consumesCounters: [{}, {}] }] }),
    slice("both", { nodeName: "n", allNodes: true }),
    slice("false", { nodeName: "", allNodes: false }),
    slice("pool", { allNodes: true, driver: "", pool: { name: "A/b", generation: -1 } }),
    slice("devices", { allNodes: true, devices: [{ name: "A" }, { name: "b" }, { name: "b" }] }),
    merge(`${slices}/{ns}-good`, { spec: { nodeName: "other", driver: "other.example.com" } }),
  ]),
];
