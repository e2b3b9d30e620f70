"""What schemathesis has to know about this API: loaded by the `schemathesis` bar."""

import os
import threading

import schemathesis
from schemathesis.specs.openapi.checks import use_after_free

# The key that all calls are made with. A revoked or narrowed one would end the run, and the API rightly lets a key do
# that to itself; so calls that would are sent to a key that does not exist.
OWN_KEY = os.environ["ASSAY_BAR_KEY_ID"]
NO_KEY = "key_000000000000"

# The ids of the worked examples, which nothing has, and what the bar made in their place, one for each operation so that
# none takes away what another needs: "keys-get=key_…,suppressions-lift=sup_…".
EXAMPLES = {
    "key_a1B2c3D4e5F6",
    "sup_0197f7a05c3a7d12a4b1c2d3e4f50619",
    "whk_0197f7a05c3a7d12a4b1c2d3e4f50620",
    "msg_0197f7a05c3a7d12a4b1c2d3e4f50621",
}
SPARES = dict(pair.split("=") for pair in os.environ["ASSAY_BAR_SPARES"].split(","))

# `Sandbox-Outcome: slow` waits for seconds, the same way for every operation: once is enough.
slow_left = [1]
lock = threading.Lock()

# Why a request that fits its schema may still be refused with 422: what a text means is not a matter of syntax.
MEANING = {
    "before_its_start",
    "invalid_cursor",
    "invalid_domain",
    "invalid_email",
    "invalid_ip_range",
    "invalid_name",
    "invalid_network_url",
    "invalid_phone",
    "in_the_past",
    "max_below_min",
    "not_a_company",
    "not_a_person",
    "unknown_webhook",
    "webhook_address_not_public",
    "webhook_port_not_allowed",
    "webhook_url_has_credentials",
    "webhook_url_has_fragment",
    "webhook_url_malformed",
    "webhook_url_not_https",
    "webhook_url_too_long",
}
# The end of a key is bound by the day of the call, which no schema can tell.
MEANING_AT = {("/expires_at", "out_of_bounds")}


@schemathesis.hook
def before_call(context, case, kwargs):
    parameters = case.path_parameters or {}
    if "key_" + str(parameters.get("id", "")).removeprefix("key_") == OWN_KEY:
        case.path_parameters["id"] = NO_KEY
    if parameters.get("id") in EXAMPLES:
        name = case.operation.definition.raw["operationId"]
        case.path_parameters["id"] = SPARES.get(name, parameters["id"])
    headers = case.headers or {}
    if headers.get("Sandbox-Outcome") == "slow":
        with lock:
            may_sleep = slow_left[0] > 0
            slow_left[0] -= 1
        if not may_sleep:
            del case.headers["Sandbox-Outcome"]


@schemathesis.check
def refused_for_its_meaning_only(context, response, case):
    """A request that fits its schema is refused, if at all, for what it means and not for its form."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 422:
        return
    problem = response.json()
    if problem["code"] == "idempotency_key_reused":
        return
    wrong = [
        error
        for error in problem["errors"]
        if error["code"] not in MEANING and (error["pointer"], error["code"]) not in MEANING_AT
    ]
    if wrong or not problem["errors"]:
        raise AssertionError(f"fits the schema and is refused for its form: {problem['detail']} {wrong}")


# Where DELETE means something else: a revoked key stays listed and says so, and the sandbox stores nothing.
DELETED_STAYS = {"keys", "sandbox"}


@schemathesis.check
def what_is_deleted_is_gone(context, response, case):
    """What was deleted cannot be read or changed any more."""
    if DELETED_STAYS.intersection(case.operation.definition.raw.get("tags", [])):
        return None
    return use_after_free(context, response, case)
