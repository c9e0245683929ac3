import type { IPAddressSpec } from "@tsbuilder/apimachinery/k8s/networking/v1";
import type { ServiceSpec } from "@tsbuilder/apimachinery/k8s/core/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../contract/api-object.ts";
import type { Core } from "../registry/core.ts";
import type { Entry } from "../storage/entry.ts";
import { fieldAndMembers, serverEntry, storeBootstrapObjects } from "./bootstrap.ts";

/** Keeps an IPAddress for each address of a Service, as the real allocator does. Returns a function to stop. */
export function keepServiceAddresses(core: Core): () => void {
  const { store, clock } = core;
  const services = store.collection("services");
  const addresses = store.collection("ipaddresses.networking.k8s.io");

  function addAddress(ip: string, service: Entry): void {
    if (addresses.get(ip)) return;
    storeBootstrapObjects(core, [newAddress(ip, service, formatTime(clock.now()))]);
  }

  function removeAddress(ip: string, { key }: Entry): void {
    const entry = addresses.get(ip);
    if (entry && holderOf(entry) === key) store.remove(addresses, entry);
  }

  for (const service of services.list()) for (const ip of addressesOf(service)) addAddress(ip, service);
  const stops = [
    services.listen(({ type, entry, previous }) => {
      const current = type === "DELETED" ? [] : addressesOf(entry);
      for (const ip of previous ? addressesOf(previous) : [])
        if (!current.includes(ip)) removeAddress(ip, entry);
      for (const ip of current) addAddress(ip, entry);
    }),
    addresses.listen(({ type, entry }) => {
      const holder = type === "DELETED" ? services.get(holderOf(entry)) : undefined;
      if (holder && addressesOf(holder).includes(entry.key)) addAddress(entry.key, holder);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function addressesOf({ object }: Entry): readonly string[] {
  const { clusterIPs = [] } = (object["spec"] ?? {}) as ServiceSpec;
  return clusterIPs.filter((ip) => ip !== "None");
}

/** The key of the Service that an IPAddress belongs to; empty for an object of another kind. */
function holderOf({ object }: Entry): string {
  const { parentRef } = (object["spec"] ?? {}) as Partial<IPAddressSpec>;
  return parentRef?.resource === "services" ? `${parentRef.namespace}/${parentRef.name}` : "";
}

const apiVersion = "networking.k8s.io/v1";

/** Makes an IPAddress, which is stored without admission and validation in the same tick as its Service. */
function newAddress(ip: string, { object: { metadata } }: Entry, time: string): ApiObject {
  const labels = {
    "ipaddress.kubernetes.io/ip-family": ip.includes(":") ? "IPv6" : "IPv4",
    "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
  };
  const parentRef = { resource: "services", namespace: metadata.namespace!, name: metadata.name! };
  const fieldsV1 = {
    "f:metadata": { "f:labels": fieldAndMembers(labels) },
    "f:spec": { "f:parentRef": { ".": {}, "f:name": {}, "f:namespace": {}, "f:resource": {} } },
  };
  const managedFields = [serverEntry(apiVersion, time, fieldsV1)];
  return {
    apiVersion,
    kind: "IPAddress",
    metadata: { name: ip, labels, managedFields },
    spec: { parentRef },
  };
}
