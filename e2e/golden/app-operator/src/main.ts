/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { Manager } from "@tsbuilder/runtime";
import { setupAppServiceController } from "./controller/appservice_controller.ts";
import { setupMemcachedController } from "./controller/memcached_controller.ts";
// +tsbuilder:scaffold:imports

// The library provides flags (`npm run build && npm start -- --help`), probes, metrics, leader election and TLS.
const manager = Manager.fromArgs({
  name: "app-operator",
  leaderElectionId: "189232f3.example.com",
});

setupAppServiceController(manager);
setupMemcachedController(manager);
// +tsbuilder:scaffold:setup

// Resolves after SIGTERM, once running reconciles have finished.
await manager.start();
