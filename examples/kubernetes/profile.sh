#!/bin/sh
# A program in three pods for some minutes, and their profiles as one page.
#
#   examples/kubernetes/profile.sh [SECONDS]      300
#
# Needs kubectl and a cluster, xrun on the PATH, and two images, whose names stand in deployment.yaml: the program's
# (with glibc 2.28 or later, and tar, which kubectl cp uses) and one of Dockerfile here. Not run: where this was written
# is no cluster. kubernetes-validate has read deployment.yaml by the strict schema of 1.37 without a complaint, hadolint
# 2.15 Dockerfile.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
profiles=$(mktemp -d)

kubectl apply -f "$here/deployment.yaml"
trap 'kubectl delete -f "$here/deployment.yaml"' EXIT
kubectl rollout status deployment/app-profiled --timeout=300s
sleep "${1:-300}"
for pod in $(kubectl get pods -l app=app-profiled -o 'jsonpath={.items[*].metadata.name}'); do
    # One that is just being written has another name: a profile that is there is whole.
    kubectl cp "$pod:/profiles" "$profiles/$pod" || echo "profile: $pod: not all could be copied" >&2
done
# 1: a profile cannot be merged, of a container that died in its first half minute say, and has its line; the others are.
xrun merge -o app-profiled.html "$profiles"/*/cpu-*.pb.gz || [ $? -eq 1 ]
echo "profile: $PWD/app-profiled.html"
