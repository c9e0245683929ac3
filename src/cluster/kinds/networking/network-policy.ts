import { forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import type * as v1 from "@tsbuilder/apimachinery/k8s/networking/v1";
import type { BuiltInKind } from "../built-in-kind.ts";
import { formatSelector, readField } from "../cells.ts";
import { type Fields, eachOf } from "../fill-in.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { servesSince } from "../../contract/version.ts";
import { checkAddressRange, isRange, isStrictSubset, rangeWarnings } from "../checks/addresses.ts";
import { selectorProblems } from "../checks/meta-types.ts";
import { checkPort } from "../checks/names.ts";
import { type Problems, each, refused, optionalChoice, itemsOf } from "../checks/problems.ts";

export const networkPolicy: BuiltInKind = {
  resource: "networkpolicies.networking.k8s.io",
  /** Until 1.36, an update validates the metadata like that of a new policy, too. */
  get metadataChecks() {
    return servesSince("1.36") ? {} : { update: ["new", "update"] as const };
  },
  strategy: {
    default(object) {
      const spec = object["spec"] as Fields | undefined;
      if (!spec) return;
      // Every policy applies to ingress; to egress only if it has egress rules.
      if (!(spec["policyTypes"] as string[] | undefined)?.length) {
        spec["policyTypes"] = ["Ingress", ...(eachOf(spec, "egress").length === 0 ? [] : ["Egress"])];
      }
    },
    validate: (object) => [...policyProblems(object)],
    validateUpdate: (object, old) => [...policyProblems(object, old)],
    warnings: (object) => policyWarnings(object),
  },
  cells: { "Pod-Selector": (object) => formatSelector(readField(object, "spec.podSelector")) },
};

type NetworkPolicy = ApiObject & { spec?: Sent<v1.NetworkPolicySpec> };

/** Validates a policy; ranges that it already had before an update are not checked again. */
function* policyProblems(policy: NetworkPolicy, old?: NetworkPolicy): Problems {
  const known = old
    ? [...ipBlocksOf(old)].flatMap(([, { cidr = "", except = [] }]) => [cidr, ...except])
    : [];
  const { spec = {} } = policy;
  yield* selectorProblems("spec.podSelector", spec.podSelector);
  for (const { field, ports, peers, peersField } of rulesOf(policy)) {
    yield* each(`${field}.ports`, ports, portProblems);
    yield* each(peersField, peers, (at, peer) => peerProblems(at, peer, known));
  }
  const { policyTypes = [] } = spec;
  if (policyTypes.length > 2) {
    return yield invalid("spec.policyTypes", policyTypes, "may not specify more than two policyTypes");
  }
  for (const [index, type] of policyTypes.entries()) {
    if (type === "Ingress" || type === "Egress") continue;
    yield notSupported(`spec.policyTypes[${index}]`, type, ["Ingress", "Egress"]);
  }
}

function* policyWarnings(policy: NetworkPolicy): Generator<string, void> {
  for (const [field, { cidr = "", except = [] }] of ipBlocksOf(policy)) {
    yield* rangeWarnings(`${field}.cidr`, cidr);
    for (const [index, range] of except.entries()) yield* rangeWarnings(`${field}.except[${index}]`, range);
  }
}

function rulesOf({ spec = {} }: NetworkPolicy) {
  const { ingress = [], egress = [] } = spec;
  return [
    ...ingress.map(({ ports = [], from = [] }, index) => {
      const field = `spec.ingress[${index}]`;
      return { field, ports, peers: from, peersField: `${field}.from` };
    }),
    ...egress.map(({ ports = [], to = [] }, index) => {
      const field = `spec.egress[${index}]`;
      return { field, ports, peers: to, peersField: `${field}.to` };
    }),
  ];
}

function* ipBlocksOf(policy: NetworkPolicy): Generator<[string, Sent<v1.IPBlock>], void> {
  for (const { peers, peersField } of rulesOf(policy)) {
    for (const [index, { ipBlock }] of peers.entries()) {
      if (ipBlock) yield [`${peersField}[${index}].ipBlock`, ipBlock];
    }
  }
}

function* portProblems(field: string, { protocol, port, endPort }: Sent<v1.NetworkPolicyPort>): Problems {
  yield* optionalChoice(`${field}.protocol`, protocol, ["TCP", "UDP", "SCTP"]);
  const refuseEnd = (when: string) =>
    endPort === undefined
      ? []
      : [invalid(`${field}.endPort`, endPort, `may not be specified when \`port\` is ${when}`)];
  if (port === undefined) yield* refuseEnd("not specified");
  else if (typeof port === "string") {
    yield* refuseEnd("non-numeric");
    yield* refused(`${field}.port`, port, checkPort(port));
  } else {
    yield* refused(`${field}.port`, port, checkPort(port));
    if (endPort === undefined) return;
    // The message shows the first port.
    if (endPort < port) {
      const shown = servesSince("1.37") ? endPort : port;
      yield invalid(`${field}.endPort`, shown, "must be greater than or equal to `port`");
    }
    yield* refused(`${field}.endPort`, endPort, checkPort(endPort));
  }
}

function* peerProblems(field: string, peer: Sent<v1.NetworkPolicyPeer>, known: readonly string[]): Problems {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  yield* selectorProblems(`${field}.podSelector`, podSelector);
  yield* selectorProblems(`${field}.namespaceSelector`, namespaceSelector);
  if (ipBlock) yield* blockProblems(`${field}.ipBlock`, ipBlock, known);
  if (!podSelector && !namespaceSelector && !ipBlock) yield required(field, "must specify a peer");
  else if (ipBlock && (podSelector || namespaceSelector)) {
    yield forbidden(field, "may not specify both ipBlock and another peer");
  }
}

function* blockProblems(
  field: string,
  { cidr = "", except = [] }: Sent<v1.IPBlock>,
  known: readonly string[],
): Problems {
  if (cidr === "") return yield required(`${field}.cidr`);
  if (!known.includes(cidr)) yield* refused(`${field}.cidr`, cidr, checkAddressRange(cidr));
  if (!isRange(cidr)) return;
  for (const [at, range] of itemsOf(`${field}.except`, except)) {
    if (!known.includes(range)) yield* refused(at, range, checkAddressRange(range));
    if (!isRange(range) || isStrictSubset(range, cidr)) continue;
    yield invalid(at, range, "must be a strict subset of `cidr`");
  }
}
