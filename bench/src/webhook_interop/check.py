"""Verifies deliveries with the libraries receivers use. Reads cases from a file, prints one JSON object."""

import json
import sys

import standardwebhooks
import svix.webhooks

READERS = {
    "standardwebhooks (Python)": (standardwebhooks.Webhook, standardwebhooks.WebhookVerificationError),
    "svix (Python)": (svix.webhooks.Webhook, svix.webhooks.WebhookVerificationError),
}
MISMATCH = "No matching signature found"


def said(reader, refusal, case):
    headers = {"webhook-" + name: case[name] for name in ("id", "timestamp", "signature")}
    try:
        reader(case["secret"]).verify(case["body"].encode(), headers)
    except refusal as error:
        return False if str(error) == MISMATCH else str(error)
    except Exception as error:
        return repr(error)
    return True


def tally(reader, refusal, cases):
    answers = [(case, said(reader, refusal, case)) for case in cases]
    wrong = [f"{case['what']}: {answer}" for case, answer in answers if answer is not case["genuine"]]
    count = lambda wanted: sum(answer is wanted for _, answer in answers)
    return {"verified": count(True), "refused": count(False), "wrong": wrong}


with open(sys.argv[1], encoding="utf-8") as file:
    cases = json.load(file)
json.dump({name: tally(*reader, cases) for name, reader in READERS.items()}, sys.stdout)
