/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { Manager } from "@tsbuilder/runtime";
import { setupAppServiceController } from "./controller/appservice_controller.ts";
import { setupMemcachedController } from "./controller/memcached_controller.ts";
// +tsbuilder:scaffold:imports

// Flags, probes, metrics, leader election and TLS are the library's: `npm run run -- -- --help` lists them.
const manager = Manager.fromArgs({
  name: "app-operator",
  leaderElectionId: "189232f3.example.com",
});

setupAppServiceController(manager);
setupMemcachedController(manager);
// +tsbuilder:scaffold:setup

// Ends after SIGTERM, once the work in hand is done.
await manager.start();
