"""The keys of an installation: those of the setting, then those of the file."""

from skerry.sealing.key_ring import KeyRing, new_key
from skerry.sealing.sealed_texts import Place

HERE = Place("hooks", "secret", (1, 23))


def test_the_first_key_of_the_setting_encrypts_and_all_others_read(tmp_path):
    in_file, older, newer = new_key(), new_key(), new_key()
    KeyRing(folder=tmp_path).replace_file([in_file])
    keys = KeyRing(f"{newer}, {older}", tmp_path)
    alone = [KeyRing(each).ids()[0] for each in (newer, older, in_file)]
    assert (keys.first().id, keys.ids()) == (alone[0], alone)
    for each in (newer, older, in_file):
        with_one = KeyRing(each)
        assert keys.unseal(with_one.seal(with_one.first().id, "geheim", HERE), HERE) == "geheim"


def test_the_first_key_of_the_file_encrypts(tmp_path):
    newer, older = new_key(), new_key()
    keys = KeyRing(folder=tmp_path)
    keys.replace_file([newer, older])
    assert keys.first().id == KeyRing(newer).first().id
