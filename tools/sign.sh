#!/bin/sh
# Sign the checksums of a release: RELEASE_SIGNING_KEY=FILE sh tools/sign.sh FOLDER [SIGNERS]
#
# Makes SHA256SUMS.sig beside SHA256SUMS with the private key in FILE; a public key stands for one of the agent.
# Refuses a key that SIGNERS does not name, because nobody could verify what it signs.
set -eu
folder=$1 signers=${2:-$(dirname "$0")/../.github/release-signers}
signature=$folder/SHA256SUMS.sig
rm -f "$signature"
ssh-keygen -q -Y sign -f "$RELEASE_SIGNING_KEY" -n skerry-release "$folder/SHA256SUMS"
ssh-keygen -q -Y verify -f "$signers" -I skerry -n skerry-release -s "$signature" < "$folder/SHA256SUMS" || {
    rm -f "$signature"
    echo "release: $signers does not name the key in $RELEASE_SIGNING_KEY" >&2
    exit 1
}
