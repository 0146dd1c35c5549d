"""Service users on the command line."""

from tests.cli.terminal import status, with_token


def test_a_service_user_gets_a_token_for_a_project(terminal):
    said = terminal.good("service-user", "add", "--name", "Robot")
    user_id = said.split("service user ")[1].split(",")[0]
    assert said == f"Added Robot as service user {user_id}, member of the account.\n"
    robot = ("--service-user", user_id)
    refused = terminal.bad("token", "add", *robot, "--project", "1")
    assert refused == "Robot is not a member of project 1"
    assert terminal.good("member", "add", "--project", "1", *robot).startswith("Robot is now a member")
    token = with_token(terminal.good("token", "add", *robot, "--project", "1"))
    assert status(terminal, "/projects/1", **token) == 200
    assert terminal.good("service-user", "list") == f"{user_id}\tmember\t1\tRobot\n"
    assert f"{user_id}\tmember\t\tRobot\tservice user\n" in terminal.good("user", "list")
    assert terminal.good("member", "remove", "--project", "1", *robot).startswith("Robot is no longer")


def test_who_gets_a_token_is_said_in_one_way(terminal):
    sentence = "Use either --email or --service-user"
    assert terminal.bad("token", "add") == sentence
    assert terminal.bad("token", "add", "--email", "ada@example.org", "--service-user", "1") == sentence
    unknown = terminal.bad("token", "add", "--service-user", "1")
    assert unknown == "There is no such service user in this account"
