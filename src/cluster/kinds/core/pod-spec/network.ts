import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { forbidden, invalid, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { checkAddress } from "../../checks/addresses.ts";
import { checkSearchDomain } from "../../checks/names.ts";
import { type Problems, refused } from "../../checks/problems.ts";
import type { PodSpec } from "./types.ts";

const nameserverLimit = 3;
const searchLimit = 32;
const searchTextLimit = 2048;

/** The DNS policy and dnsConfig of a pod. */
export function* dns(field: string, { dnsPolicy, dnsConfig }: PodSpec): Problems {
  const at = `${field}.dnsConfig`;
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === "None") {
    if (!dnsConfig) return yield required(at, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (nameservers.length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return yield required(`${at}.nameservers`, detail);
    }
  }
  if (nameservers.length > nameserverLimit) {
    const detail = `must not have more than ${nameserverLimit} nameservers`;
    yield invalid(`${at}.nameservers`, nameservers, detail);
  }
  for (const [index, server] of nameservers.entries()) {
    yield* refused(`${at}.nameservers[${index}]`, server, checkAddress(server));
  }
  if (searches.length > searchLimit) {
    yield invalid(`${at}.searches`, searches, `must not have more than ${searchLimit} search paths`);
  }
  if (searches.join(" ").length > searchTextLimit) {
    const detail = `must not have more than ${searchTextLimit} characters (including spaces) in the search list`;
    yield invalid(`${at}.searches`, searches, detail);
  }
  for (const [index, search] of searches.entries()) {
    const domain = search.replace(/\.$/, "");
    if (search !== ".") yield* refused(`${at}.searches[${index}]`, domain, checkSearchDomain(domain));
  }
  for (const [index, { name }] of options.entries()) {
    if (!name) yield required(`${at}.options[${index}]`, "must not be empty");
  }
}

/** The hostAliases of a pod. */
export function* hostAliases(field: string, list: PodSpec["hostAliases"] = []): Problems {
  for (const [index, { ip = "", hostnames = [] }] of list.entries()) {
    yield* refused(`${field}[${index}].ip`, ip, checkAddress(ip));
    for (const [each, name] of hostnames.entries()) {
      yield* refused(`${field}[${index}].hostnames[${each}]`, name, checkSubdomain(name));
    }
  }
}

export function* hostnameOverride(field: string, spec: PodSpec): Problems {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return;
  const at = `${field}.hostnameOverride`;
  if (spec.setHostnameAsFQDN) yield forbidden(at, "may not be specified when setHostnameAsFQDN is true");
  if (spec.hostNetwork) yield forbidden(at, "may not be specified when hostNetwork is true");
  if (name.length > 64) yield tooLong(at, 64);
  yield* refused(at, name, checkSubdomain(name));
}

/** With hostNetwork, containerPort and hostPort must be equal. A template may omit hostPort. */
export function* hostPorts(
  field: string,
  { hostNetwork, containers = [] }: PodSpec,
  isPod: boolean,
): Problems {
  if (!hostNetwork) return;
  for (const [index, { ports = [] }] of containers.entries()) {
    for (const [each, { hostPort = 0, containerPort = 0 }] of ports.entries()) {
      if (hostPort === containerPort || (!isPod && hostPort === 0)) continue;
      const at = `${field}.containers[${index}].ports[${each}].hostPort`;
      yield invalid(at, hostPort, "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

export function* hostname(field: string, name: string | undefined): Problems {
  if (name) yield* refused(field, name, checkLabel(name));
}
