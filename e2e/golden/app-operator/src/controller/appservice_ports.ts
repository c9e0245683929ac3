/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Client, Desired } from "@tsbuilder/runtime";
import { Service, type ServicePort } from "@tsbuilder/runtime/k8s/core/v1";

/**
 * Takes out ports that somebody else put into the Service. A list that is merged by port and protocol keeps foreign
 * items, and a port that was edited by hand keeps its name and its node port, so that ours would be refused. So where
 * the live list has such a port, all of it is replaced before ours is applied; node ports that were given are kept.
 */
export async function removeForeignPorts(
  client: Client,
  live: Service,
  desired: Desired<Service>,
): Promise<void> {
  const wanted = desired.spec?.ports ?? [];
  const present = live.spec?.ports ?? [];
  const known = new Set(wanted.map(keyOf));
  if (present.every((port) => known.has(keyOf(port)))) return;
  const given = new Map(present.map((port) => [keyOf(port), port.nodePort]));
  const ports = wanted.map((port) => ({
    ...port,
    nodePort: port.nodePort ?? given.get(keyOf(port)),
  }));
  await client.update(Service, { ...live, spec: { ...live.spec, ports } });
}

function keyOf({ port, protocol = "TCP" }: ServicePort): string {
  return `${port}/${protocol}`;
}
